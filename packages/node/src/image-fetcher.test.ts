import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { ConfigurationError } from '@sluice/core'
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
    await expect(fetchImage(url, signal)).rejects.toThrow(/not one of the allowed hosts/)
    await expect(fetchImage(url, signal)).rejects.toThrow(/not one of the allowed hosts/)
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
  const wrong: [options: unknown, path: readonly (string | number)[], message: string][] = [
    [undefined, [], 'got undefined, expected an object of options, such as'],
    [null, [], 'got null, expected an object of options, such as'],
    [['images.example.com'], [], 'got a list, expected an object of options, such as'],
    ['images.example.com', [], 'expected an object of options, such as'],
    [{}, ['hosts'], 'hosts: got undefined, expected a list of at least one host'],
    [{ hosts: [] }, ['hosts'], 'hosts: got an empty list'],
    [{ hosts: '*' }, ['hosts'], "hosts: got '*', expected a list of at least one host"],
    [{ hosts: [''] }, ['hosts', 0], 'hosts[0]: got an empty string'],
    [{ hosts: [...hosts, 'https://images.example.com'] }, ['hosts', 1], 'this has another form'],
    [{ hosts: ['127.0.0.1'] }, ['hosts', 0], "hosts[0]: got '127.0.0.1'"],
    [{ hosts: [7] }, ['hosts', 0], 'hosts[0]: got 7'],
    [{ hosts, maxByte: 1 }, ['maxByte'], "maxByte: got 1, expected no such option. Did you mean 'maxBytes'?"],
    [{ hosts, maxBytes: 0 }, ['maxBytes'], 'maxBytes: got 0, expected a whole number from 1'],
    [{ hosts, maxBytes: 1.5 }, ['maxBytes'], 'maxBytes: got 1.5'],
    [{ hosts, maxBytes: '1' }, ['maxBytes'], "maxBytes: got '1'"],
    [{ hosts, maxBytes: Number.POSITIVE_INFINITY }, ['maxBytes'], 'maxBytes: got Infinity'],
    [{ hosts, maxImages: 0 }, ['maxImages'], 'maxImages: got 0'],
    [{ hosts, maxTotalBytes: -1 }, ['maxTotalBytes'], 'maxTotalBytes: got -1'],
    [
      { hosts, timeoutMs: 0 },
      ['timeoutMs'],
      'timeoutMs: got 0, expected a whole number from 1 to 2147483647',
    ],
    [{ hosts, timeoutMs: 2 ** 31 }, ['timeoutMs'], 'timeoutMs: got 2147483648'],
    [{ hosts, timeoutMs: null }, ['timeoutMs'], 'timeoutMs: got null'],
  ]
  it.each(wrong)('are checked when it is made: %j', (options, path, message) => {
    const make = () => imageFetcher(options as ImageFetcherOptions)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }))
    expect(make).toThrow(/^imageFetcher\(\): /)
    expect(make).toThrow(message)
  })

  it('may be left undefined', () => {
    imageFetcher({ hosts, maxBytes: undefined, timeoutMs: undefined })
  })
})
