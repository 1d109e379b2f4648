import { getEventListeners, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type Certificate,
  certificateFor,
  type ImageHost,
  imageHost,
  images,
  sendImage,
} from '../../../providers/test/vendors/images/image-host.ts'
import { type FetchDependencies, type FetchedImage, type Guards, guardedFetch } from './guarded-fetch.ts'
import { hostRule } from './host-rules.ts'
import { isPublicAddress } from './public-address.ts'

const here = '127.0.0.1'
const png = images['image/png']
const hosts: ImageHost[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  for (const host of hosts.splice(0)) await host.close()
})

async function host(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  certificate?: Certificate,
): Promise<ImageHost> {
  const started = await imageHost(answer, certificate)
  hosts.push(started)
  return started
}

interface Asking extends Partial<FetchDependencies>, Partial<Omit<Guards, 'hosts'>> {
  readonly url?: (port: number) => string
  readonly signal?: AbortSignal
}

/** Fetches from a host of the tests: its name means this machine, which is all that counts as public. */
function fetchFrom({ port, ca }: { port: number; ca?: string }, asking: Asking = {}): Promise<FetchedImage> {
  const { url = port => `https://images.example.com:${port}/a.png?b=1#c` } = asking
  const { maxBytes = 1_000_000, timeoutMs = 10_000, signal = new AbortController().signal } = asking
  const rules = [`images.example.com:${port}`, `*.cdn.example:${port}`].map(hostRule)
  const dependencies: FetchDependencies = {
    lookup: asking.lookup ?? (async () => [here]),
    isPublic: asking.isPublic ?? (address => address === here),
    ca,
  }
  return guardedFetch(url(port), signal, { hosts: rules, maxBytes, timeoutMs }, dependencies)
}

describe('guardedFetch', () => {
  it('fetches an image, and says nothing of the caller', async () => {
    const server = await host((_request, response) => sendImage(response))
    const image = await fetchFrom(server)
    expect(image).toEqual({ mediaType: 'image/png', data: new Uint8Array(png) })
    const [request] = server.requests
    expect(request?.method).toBe('GET')
    expect(request?.url).toBe('/a.png?b=1')
    expect(request?.headers).toEqual({
      host: `images.example.com:${server.port}`,
      accept: 'image/jpeg, image/png, image/gif, image/webp',
      'accept-encoding': 'identity',
      'user-agent': 'sluice',
      connection: 'close',
    })
  })

  it.each([
    port => `https://IMAGES.Example.COM:${port}/`,
    port => `https://images.example.com.:${port}/`,
    port => `https://images%2Eexample.com:${port}/`,
    port => `https://images。example。com:${port}/`,
    port => `https://a.cdn.example:${port}/`,
  ] satisfies ((port: number) => string)[])('reaches an allowed host: %s', async url => {
    const server = await host((_request, response) => sendImage(response))
    expect((await fetchFrom(server, { url })).data).toEqual(new Uint8Array(png))
  })

  it('makes a connection for each image, and leaves none', async () => {
    const server = await host((_request, response) => sendImage(response))
    await fetchFrom(server)
    await fetchFrom(server)
    await server.idle()
    expect(server.connections).toHaveLength(2)
  })

  it('goes to another address of the name when nobody answers at the first', async () => {
    const server = await host((_request, response) => sendImage(response))
    const lookup = async () => ['127.0.0.9', here]
    const image = await fetchFrom(server, { lookup, isPublic: address => address.startsWith('127.0.0.') })
    expect(image.mediaType).toBe('image/png')
  })

  it('does not mind hints before the answer', async () => {
    const server = await host((_request, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' })
      sendImage(response)
    })
    expect((await fetchFrom(server)).mediaType).toBe('image/png')
  })
})

describe('a link', () => {
  const refused: [url: (port: number) => string, why: RegExp][] = [
    [() => 'images.example.com/a.png', /no URL/],
    [() => '', /no URL/],
    [
      port => `https://images.example.com:${port}/${'a'.repeat(9_000)}`,
      /has 90\d\d characters; expected at most 8192/,
    ],
    [port => `http://images.example.com:${port}/`, /not https/],
    [() => 'file:///etc/hosts', /not https/],
    [() => 'ftp://images.example.com/', /not https/],
    [port => `https://ann@images.example.com:${port}/`, /user name or a password/],
    [port => `https://:secret@images.example.com:${port}/`, /user name or a password/],
    [() => 'https://images.example.com/', /not one of the allowed hosts/],
    [() => 'https://images.example.com:22/', /not one of the allowed hosts/],
    [port => `https://example.com:${port}/`, /not one of the allowed hosts/],
    [port => `https://a.images.example.com:${port}/`, /not one of the allowed hosts/],
    [port => `https://cdn.example:${port}/`, /not one of the allowed hosts/],
    [port => `https://evilcdn.example:${port}/`, /not one of the allowed hosts/],
    [port => `https://images.example.com.evil.example:${port}/`, /not one of the allowed hosts/],
    [port => `https://images.example.com@evil.example:${port}/`, /user name/],
    [port => `https://127.0.0.1:${port}/`, /not one of the allowed hosts/],
    [port => `https://[::1]:${port}/`, /not one of the allowed hosts/],
    [port => `https://images.example.com..:${port}/`, /no valid host name/],
    [port => `https://*.cdn.example:${port}/`, /no valid host name/],
    [port => `https://${'a'.repeat(64)}.cdn.example:${port}/`, /no valid host name/],
    [port => `https://${'a.'.repeat(130)}cdn.example:${port}/`, /no valid host name/],
  ]
  it.each(refused)('is refused before its name is looked up: %s', async (url, why) => {
    const server = await host((_request, response) => sendImage(response))
    const lookup = vi.fn(async () => [here])
    await expect(fetchFrom(server, { url, lookup })).rejects.toThrow(why)
    expect(lookup).not.toHaveBeenCalled()
    expect(server.connections).toHaveLength(0)
  })
})

describe('an address', () => {
  const elsewhere = [
    ...['10.0.0.1', '127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '192.168.1.1', '100.100.100.200'],
    ...['172.31.0.1', '255.255.255.255', '224.0.0.1', '192.0.2.1', '198.18.0.1', '168.63.129.16'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::7f00:1',
      '2002:7f00:1::',
    ],
    ...[
      '2001:0:1::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fe80::1%lo',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
    ],
    ...['localhost', '', '127.0.0.1:443'],
  ]
  it.each(elsewhere)('that is not public is refused: %s', async address => {
    const server = await host((_request, response) => sendImage(response))
    const asked = fetchFrom(server, { lookup: async () => [address], isPublic: isPublicAddress })
    await expect(asked).rejects.toThrow("The image's host has an address that is not public.")
    expect(server.connections).toHaveLength(0)
  })

  it('that is not public is refused also beside public ones', async () => {
    const server = await host((_request, response) => sendImage(response))
    for (const addresses of [
      [here, '10.0.0.1'],
      ['::1', here],
    ]) {
      await expect(fetchFrom(server, { lookup: async () => addresses })).rejects.toThrow(/not public/)
    }
    expect(server.connections).toHaveLength(0)
  })

  it('is the one that was checked, whatever the name means a moment later', async () => {
    const asked: (string | undefined)[] = []
    const server = await host(({ socket }, response) => {
      asked.push(socket.localAddress)
      sendImage(response)
    })
    const lookup = vi.fn<FetchDependencies['lookup']>(async () => ['127.0.0.2'])
    lookup.mockResolvedValueOnce([here])
    await fetchFrom(server, { lookup })
    expect(lookup).toHaveBeenCalledOnce()
    expect(lookup).toHaveBeenCalledWith('images.example.com', expect.any(AbortSignal))
    await expect(fetchFrom(server, { lookup })).rejects.toThrow(/not public/)
    expect(asked).toEqual([here])
  })

  it('has to be there', async () => {
    const server = await host((_request, response) => sendImage(response))
    await expect(fetchFrom(server, { lookup: async () => [] })).rejects.toThrow('has no address')
    const cause = new Error('ENOTFOUND')
    await expect(fetchFrom(server, { lookup: () => Promise.reject(cause) })).rejects.toMatchObject({
      message: "The name of the image's host could not be resolved.",
      cause,
    })
  })

  it('where nobody listens is told', async () => {
    const server = await imageHost(() => {})
    await server.close()
    await expect(fetchFrom(server)).rejects.toThrow(/could not be reached, or broke off \(ECONNREFUSED\)/)
  })
})

describe('a certificate', () => {
  const wrong: [what: string, certificate: () => Promise<Certificate>, trusted: boolean, code: string][] = [
    ['nobody trusts', () => certificateFor(['images.example.com']), false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another name', () => certificateFor(['other.example']), true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    [
      'that has expired',
      () => certificateFor(['images.example.com'], new Date(Date.now() - 60_000)),
      true,
      'CERT_HAS_EXPIRED',
    ],
  ]
  it.each(wrong)(
    '%s is refused, whatever the environment says',
    async (_what, certificate, trusted, code) => {
      const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      const server = await host((_request, response) => sendImage(response), await certificate())
      for (const allowed of ['1', '0']) {
        vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', allowed)
        await expect(fetchFrom(trusted ? server : { port: server.port })).rejects.toThrow(`(${code})`)
      }
      expect(server.requests).toHaveLength(0)
      warned.mockRestore()
    },
  )
})

describe('an answer', () => {
  const head = (status: number, headers: Record<string, string> = {}) => {
    return (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(status, { 'content-type': 'image/png', ...headers }).end(png)
    }
  }

  it.each([301, 302, 303, 307, 308, 300, 304])('that leads elsewhere is refused: %i', async status => {
    const server = await host((request, response) => {
      if (request.url === '/other.png') sendImage(response)
      else head(status, { location: '/other.png' })(request, response)
    })
    await expect(fetchFrom(server)).rejects.toThrow(`redirect (${status})`)
    await server.idle()
    expect(server.requests).toHaveLength(1)
  })

  it.each([201, 203, 204, 206, 400, 401, 403, 404, 429, 500, 503])('is refused: %i', async status => {
    const server = await host(head(status))
    await expect(fetchFrom(server)).rejects.toThrow(`status ${status}, not 200`)
    await server.idle()
  })

  it('that changes the protocol is refused', async () => {
    const server = await host((_request, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
    })
    await expect(fetchFrom(server)).rejects.toThrow(/could not be reached, or broke off/)
    await server.idle()
  })

  it('that is no HTTP is refused', async () => {
    const server = await host((_request, response) => response.socket?.write('220 smtp.example ESMTP\r\n'))
    await expect(fetchFrom(server)).rejects.toThrow(/broke off \(HPE_INVALID_CONSTANT\)/)
    await server.idle()
  })

  it.each(['gzip', 'br', 'deflate', 'x', 'identity, gzip'])(
    'in an encoding is refused: %s',
    async encoding => {
      const server = await host((_request, response) => {
        const headers = { 'content-type': 'image/png', 'content-encoding': encoding }
        response.writeHead(200, headers).end(gzipSync(png))
      })
      await expect(fetchFrom(server)).rejects.toThrow('encoded content')
    },
  )

  it.each(['identity', 'Identity', ''])('that says that it is plain is taken: "%s"', async encoding => {
    const server = await host(head(200, { 'content-encoding': encoding }))
    expect((await fetchFrom(server)).mediaType).toBe('image/png')
  })
})

describe('a type', () => {
  const types = Object.keys(images) as (keyof typeof images)[]

  it.each(types)('is known by its name and its first bytes: %s', async type => {
    let bytes: Uint8Array = images[type]
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': `${type.toUpperCase()}; charset=x` }).end(bytes)
    })
    expect(await fetchFrom(server)).toEqual({ mediaType: type, data: new Uint8Array(images[type]) })
    const others = types.filter(other => other !== type).map(other => images[other] as Uint8Array)
    const text = Buffer.from('<!doctype html><title>a</title>')
    for (const other of [...others, text, Buffer.alloc(0), images[type].subarray(0, 2)]) {
      bytes = other
      await expect(fetchFrom(server)).rejects.toThrow(`said to be ${type}, and is not`)
    }
  })

  it('of another name for JPEG is taken', async () => {
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/jpg' }).end(images['image/jpeg'])
    })
    expect((await fetchFrom(server)).mediaType).toBe('image/jpeg')
  })

  it.each([
    ...['text/html', 'image/svg+xml', 'image/bmp', 'image/*', 'application/octet-stream'],
    ...['image/png, text/html', '', 'image', 'png'],
  ])('that was not asked for is refused: "%s"', async type => {
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(png)
    })
    await expect(fetchFrom(server)).rejects.toThrow('did not answer with one of image/jpeg,')
  })

  it('that is not said is refused', async () => {
    const server = await host((_request, response) => response.writeHead(200).end(png))
    await expect(fetchFrom(server)).rejects.toThrow('did not answer with one of')
  })
})

describe('a size', () => {
  const padded = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length, 1)])

  it.each([png.length, 65_536, 65_537, 300_000])('up to the bound is taken: %i', async size => {
    const bytes = padded(size)
    for (const declared of [true, false]) {
      const server = await host((_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png', ...(declared && { 'content-length': size }) })
        response.write(bytes.subarray(0, 50))
        response.end(bytes.subarray(50))
      })
      const { data } = await fetchFrom(server, { maxBytes: size })
      expect(Buffer.compare(data, bytes)).toBe(0)
    }
  })

  it('that is declared too large is refused before it comes', async () => {
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': 100_001 }).write(png)
    })
    await expect(fetchFrom(server, { maxBytes: 100_000 })).rejects.toThrow('more than 100000 bytes')
    await server.idle()
  })

  it('that is not declared is counted', async () => {
    let sent = 0
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' })
      const more = () => {
        while (!response.destroyed) {
          sent += 10_000
          if (!response.write(padded(10_000))) return
        }
      }
      response.on('drain', more)
      more()
    })
    await expect(fetchFrom(server, { maxBytes: 100_000 })).rejects.toThrow('more than 100000 bytes')
    await server.idle()
    expect(sent).toBeLessThan(50_000_000)
  })

  it('that was declared and does not come is told', async () => {
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': 1_000 }).write(png, () => {
        response.destroy()
      })
    })
    await expect(fetchFrom(server)).rejects.toThrow(/broke off \(ECONNRESET\)/)
  })
})

describe('the time', () => {
  const late = 'The image did not arrive within 250 ms.'
  const drip = (stream: Writable | null, piece: string) => {
    const timer = setInterval(() => {
      if (stream === null || stream.destroyed) clearInterval(timer)
      else stream.write(piece)
    }, 5)
  }

  it('counts while the name is looked up', async () => {
    const lookup: FetchDependencies['lookup'] = (_name, signal) =>
      once(signal, 'abort').then(() => Promise.reject(new Error('stopped')))
    await expect(fetchFrom({ port: 443 }, { lookup, timeoutMs: 250 })).rejects.toThrow(late)
  })

  it('counts while TLS begins', async () => {
    const sockets: Socket[] = []
    const server = createServer(socket => sockets.push(socket.on('error', () => {})))
    server.listen(0, here)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(fetchFrom({ port }, { timeoutMs: 250 })).rejects.toThrow(late)
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.resume()
    await closed
  })

  it('counts while the answer does not begin', async () => {
    const server = await host(() => {})
    await expect(fetchFrom(server, { timeoutMs: 250 })).rejects.toThrow(late)
    expect(server.requests).toHaveLength(1)
    await server.idle()
  })

  it('counts while headers drip', async () => {
    const server = await host((_request, response) => {
      const { socket } = response
      socket?.write('HTTP/1.1 200 OK\r\n')
      drip(socket, 'a: b\r\n')
    })
    await expect(fetchFrom(server, { timeoutMs: 250 })).rejects.toThrow(late)
    expect(server.requests).toHaveLength(1)
    await server.idle()
  })

  it('counts while the body drips', async () => {
    const server = await host((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write(png)
      drip(response, 'a')
    })
    await expect(fetchFrom(server, { timeoutMs: 250 })).rejects.toThrow(late)
    expect(server.requests).toHaveLength(1)
    await server.idle()
  })
})

describe('an abort', () => {
  const reason = new DOMException('The client disconnected.', 'AbortError')

  it('before is heard before anything is asked', async () => {
    const lookup = vi.fn(async () => [here])
    await expect(fetchFrom({ port: 443 }, { lookup, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(lookup).not.toHaveBeenCalled()
  })

  it('while the name is looked up makes no connection', async () => {
    const server = await host((_request, response) => sendImage(response))
    const leaving = new AbortController()
    const lookup = async () => {
      leaving.abort(reason)
      return [here]
    }
    await expect(fetchFrom(server, { lookup, signal: leaving.signal })).rejects.toBe(reason)
    expect(server.connections).toHaveLength(0)
  })

  it.each(['before the answer', 'in the middle of the body'])('%s leaves nothing behind', async when => {
    const leaving = new AbortController()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const server = await host((_request, response) => {
      if (when === 'before the answer') return leaving.abort(reason)
      response.writeHead(200, { 'content-type': 'image/png' }).write(png, () => {
        setImmediate(() => leaving.abort(reason))
      })
    })
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const asked = fetchFrom(server, { signal: leaving.signal, timeoutMs: 77_777 })
    const own = timers.mock.calls.findIndex(([, ms]) => ms === 77_777)
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(1)
    await expect(asked).rejects.toBe(reason)
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(0)
    expect(cleared).toHaveBeenCalledWith(timers.mock.results[own]?.value)
    await server.idle()
  })

  it('is not listened for when the image is there', async () => {
    const { signal } = new AbortController()
    const server = await host((_request, response) => sendImage(response))
    await fetchFrom(server, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})
