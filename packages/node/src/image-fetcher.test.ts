import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ImageFetcher } from '@sluice/providers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ImageFetcherOptions, imageFetcher } from './image-fetcher.ts'

describe('imageFetcher', () => {
  const server = createServer()
  let port = 0
  let connections = 0
  beforeAll(async () => {
    server.on('connection', socket => {
      connections += 1
      socket.destroy()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  it.each([
    ...['127.0.0.1', '127.0.0.1.', '127.1', '127.000.000.001', '2130706433', '017700000001', '0x7f000001'],
    ...['0x7f.1', '0177.0.0.1', '127.0.0.0x1', '１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1'],
    ...['0.0.0.0', '0', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...[
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b:1::7f00:1]',
      '[2002:7f00:1::1]',
      '[2001:0:7f00:1::]',
    ],
    ...['10.0.0.1', '169.254.169.254', '192.168.0.1', '[fe80::1]', '[fd00:ec2::254]'],
  ])('does not ask this machine or its network: %s', async host => {
    const fetchImage = imageFetcher({ hosts: [`*:${port}`] })
    await expect(fetchImage(`https://${host}:${port}/a.png`, new AbortController().signal)).rejects.toThrow(
      "The image's host has an address that is not public.",
    )
    expect(connections).toBe(0)
  })

  it('does not ask a name that this machine alone knows', async () => {
    const fetchImage = imageFetcher({ hosts: [`*:${port}`], timeoutMs: 2_000 })
    await expect(fetchImage(`https://localhost:${port}/a.png`, new AbortController().signal)).rejects.toThrow(
      Error,
    )
    expect(connections).toBe(0)
  })

  it('is what a provider takes', () => {
    const fetchImage: ImageFetcher = imageFetcher({ hosts: ['images.example.com'] })
    expect(fetchImage).toBeTypeOf('function')
  })

  it('counts the links of a request', async () => {
    const fetchImage = imageFetcher({ hosts: ['images.example.com'], maxImages: 2 })
    const { signal } = new AbortController()
    const url = 'https://127.0.0.1/a.png'
    await expect(fetchImage(url, signal)).rejects.toThrow(/not among the hosts/)
    await expect(fetchImage(url, signal)).rejects.toThrow(/not among the hosts/)
    await expect(fetchImage(url, signal)).rejects.toThrow(/more than 2 images/)
  })

  it('is heard by its signal before anything else', async () => {
    const reason = new Error('left')
    const fetchImage = imageFetcher({ hosts: ['*'] })
    await expect(fetchImage('nonsense', AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})

describe('its options', () => {
  const hosts = ['images.example.com']
  const wrong: [options: unknown, why: string][] = [
    [undefined, 'expected an object of options, such as'],
    [null, 'expected an object of options, such as'],
    [['images.example.com'], 'expected an object of options, such as'],
    ['images.example.com', 'expected an object of options, such as'],
    [{}, 'hosts has to be a list of at least one host'],
    [{ hosts: [] }, 'hosts has to be a list of at least one host'],
    [{ hosts: '*' }, 'hosts has to be a list of at least one host'],
    [{ hosts: [''] }, "hosts has '', and it has another form"],
    [{ hosts: ['https://images.example.com'] }, 'and it has another form'],
    [{ hosts: ['127.0.0.1'] }, 'and it is no public address'],
    [{ hosts: [7] }, 'hosts has a number'],
    [{ hosts, maxByte: 1 }, "unknown option 'maxByte'. There are hosts, maxBytes, maxImages,"],
    [{ hosts, maxBytes: 0 }, 'maxBytes is 0; it must be a whole number from 1'],
    [{ hosts, maxBytes: 1.5 }, 'maxBytes is 1.5'],
    [{ hosts, maxBytes: '1' }, 'maxBytes is 1; it'],
    [{ hosts, maxBytes: Number.POSITIVE_INFINITY }, 'maxBytes is Infinity'],
    [{ hosts, maxImages: 0 }, 'maxImages is 0'],
    [{ hosts, maxTotalBytes: -1 }, 'maxTotalBytes is -1'],
    [{ hosts, timeoutMs: 0 }, 'timeoutMs is 0; it must be a whole number from 1 to 2147483647'],
    [{ hosts, timeoutMs: 2 ** 31 }, 'timeoutMs is 2147483648'],
    [{ hosts, timeoutMs: null }, 'timeoutMs is null'],
  ]
  it.each(wrong)('are checked when it is made: %j', (options, why) => {
    const make = () => imageFetcher(options as ImageFetcherOptions)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(/^imageFetcher: /)
    expect(make).toThrow(why)
  })

  it('may be left undefined', () => {
    imageFetcher({ hosts, maxBytes: undefined, timeoutMs: undefined })
  })
})
