import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { receive } from '../../../test/e2e/mounts/receive.ts'
import { MalformedRequest } from './malformed-request.ts'
import { type RequestOptions, requestBody, toRequest } from './request.ts'

const post = (body: string, headers = '') =>
  `POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: here.example\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`

async function requestOf(text: string, options: Omit<RequestOptions, 'response'> = {}) {
  const received = await receive(text)
  const { incoming, response } = received
  return { ...received, request: toRequest(incoming, { response, ...options }) }
}

describe('toRequest', () => {
  it('is a Request with everything that a native one has', async () => {
    const { request } = await requestOf(
      post('{"a":1}', 'Content-Type: application/json\r\nX-Two: a\r\nX-Two: b\r\n'),
    )
    expect(request).toBeInstanceOf(Request)
    expect(request.method).toBe('POST')
    expect(request.url).toBe('http://here.example/v1/chat/completions?x=1')
    expect(request.headers).toBe(request.headers)
    expect(request.bodyUsed).toBe(false)
    expect(request.redirect).toBe('follow')
    expect(request.signal).toBe(request.signal)
    expect(request.signal.aborted).toBe(false)
    expect(Object.prototype.toString.call(request)).toBe('[object Request]')
    expect(await request.json()).toEqual({ a: 1 })
    expect(request.bodyUsed).toBe(true)
    await expect(request.text()).rejects.toThrow(TypeError)
  })

  it('refuses a target that is no path, also where its host has made one of it', async () => {
    for (const target of ['ftp://x/v1/models', '/v1/../v1/models', '/v1\\models', '/v1/models#x']) {
      const received = receive(`GET ${target} HTTP/1.1\r\nHost: here.example\r\n\r\n`)
      const { incoming } = await received
      expect(() => toRequest(incoming, { target: '/v1/models' }), target).toThrow(MalformedRequest)
    }
  })

  it('answers for every member of Request and Headers', async () => {
    const { request } = await requestOf(post('x'))
    const native = new Request('http://here.example/', {
      method: 'POST',
      body: 'x',
      duplex: 'half',
    } as RequestInit)
    for (const key of Reflect.ownKeys(Request.prototype)) {
      if (typeof key === 'symbol' || key === 'attribute') continue
      expect([key, typeof Reflect.get(request, key)]).toEqual([key, typeof Reflect.get(native, key)])
    }
    for (const key of Reflect.ownKeys(Headers.prototype)) {
      if (typeof key === 'symbol' && key !== Symbol.iterator) continue
      expect([key, typeof Reflect.get(request.headers, key)]).toEqual([
        key,
        typeof Reflect.get(native.headers, key),
      ])
    }
  })

  it.each(['text', 'arrayBuffer', 'blob', 'bytes'] as const)('reads its body by %s()', async how => {
    const { request } = await requestOf(post('grüße'))
    if (!(how in request)) return
    expect(await new Response((await request[how]()) as string).text()).toBe('grüße')
  })

  it('reads its body as a stream, and stops without cutting the connection', async () => {
    const { request, response, client } = await requestOf(post('0123456789'))
    const reader = request.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('0123456789')
    await reader.cancel()
    response.end('still here')
    expect((await client.response())?.body).toBe('still here')
  })

  it('has no body for GET', async () => {
    const { request } = await requestOf('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(request.body).toBeNull()
    expect(await request.text()).toBe('')
  })

  it('can be cloned, and then be read by both', async () => {
    const { request } = await requestOf(post('{"a":1}', 'X-Id: 7\r\n'))
    const clone = request.clone()
    expect(clone.headers.get('x-id')).toBe('7')
    expect(await clone.json()).toEqual({ a: 1 })
    const body = requestBody(request)
    const pieces: Uint8Array[] = []
    if (body.kind === 'stream') for await (const piece of body.stream) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe('{"a":1}')
  })

  it('can be made into another request', async () => {
    const { request } = await requestOf(post('{"a":1}', 'X-Id: 7\r\n'))
    const other = new Request(request.url, request)
    expect([other.method, other.headers.get('x-id'), await other.text()]).toEqual(['POST', '7', '{"a":1}'])
  })

  // Node 24 keeps a Request's inside in private fields, which nothing can stand in for.
  it.runIf(Number.parseInt(process.versions.node, 10) < 24)('can be taken for a native one', async () => {
    const { request } = await requestOf(post('{"a":1}', 'X-Id: 7\r\n'))
    const other = new Request(request)
    expect([other.method, other.headers.get('x-id'), await other.text()]).toEqual(['POST', '7', '{"a":1}'])
  })

  it('gives a body that the host has read already', async () => {
    const message = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.replace('GET', 'POST')
    const parsed = await requestOf(message, { body: { kind: 'parsed', value: { a: 1 } } })
    expect(await parsed.request.json()).toEqual({ a: 1 })
    const bytes = await requestOf(message, { body: { kind: 'bytes', bytes: Buffer.from('raw') } })
    expect(await bytes.request.text()).toBe('raw')
    expect(requestBody(bytes.request)).toEqual({ kind: 'bytes', bytes: Buffer.from('raw') })
  })

  it('tells of headers as node does', async () => {
    const { request } = await requestOf(
      post('', 'Cookie: a=1\r\nCookie: b=2\r\nX-Two: a\r\nx-two: b\r\nContent-Type: text/a\r\nX-L: \xe4\r\n'),
    )
    const { headers } = request
    expect(headers).toBeInstanceOf(Headers)
    expect(headers.get('COOKIE')).toBe('a=1; b=2')
    expect(headers.get('x-two')).toBe('a, b')
    expect(headers.get('content-type')).toBe('text/a')
    for (const name of ['constructor', '__proto__', 'toString', 'absent'])
      expect(headers.get(name)).toBeNull()
    expect(headers.has('cookie')).toBe(true)
    expect(headers.has('absent')).toBe(false)
    expect(() => headers.get('no token')).toThrow(TypeError)
    const copy = new Headers(headers)
    expect([...copy]).toEqual([...headers])
    expect(copy.get('x-two')).toBe('a, b')
    headers.set('x-two', 'c')
    expect(headers.get('x-two')).toBe('c')
    expect(request.clone().headers.get('x-two')).toBe('c')
  })

  it.each([
    ['Authorization', 'Authorization: Bearer a\r\nauthorization: Bearer b\r\n'],
    ['X-Api-Key', 'x-api-key: a\r\nX-API-Key: b\r\n'],
    ['Host', 'hOST: here.example\r\n'],
  ])('refuses a repeated %s', async (name, headers) => {
    await expect(requestOf(post('', headers))).rejects.toThrow(`more than one ${name} header`)
  })

  it('refuses a bad Host', async () => {
    await expect(requestOf('GET / HTTP/1.1\r\nHost: a@b/c\r\n\r\n')).rejects.toThrow(MalformedRequest)
  })

  it('believes a proxy only when told to', async () => {
    const text =
      'GET /x HTTP/1.1\r\nHost: inner\r\nX-Forwarded-Proto: HTTPS, http\r\nX-Forwarded-Host: outer.example, b\r\n\r\n'
    expect((await requestOf(text)).request.url).toBe('http://inner/x')
    expect((await requestOf(text, { trustProxy: true })).request.url).toBe('https://outer.example/x')
    const bad = text.replace('outer.example', 'a/b')
    await expect(requestOf(bad, { trustProxy: true })).rejects.toThrow(MalformedRequest)
  })
})

describe('signal', () => {
  const left = (response: ServerResponse) => new Promise(resolve => response.once('close', resolve))

  it('aborts when the client leaves', async () => {
    const { request, response, client } = await requestOf(post('{}'))
    const { signal } = request
    const closed = left(response)
    client.reset()
    await closed
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
    expect(request.clone().signal.aborted).toBe(true)
  })

  it('is aborted already where the client left before anybody asked', async () => {
    const { request, response, client } = await requestOf(post('{}'))
    const closed = left(response)
    client.reset()
    await closed
    expect(request.signal.aborted).toBe(true)
  })

  it('stays quiet when the answer was taken', async () => {
    const { request, response, client } = await requestOf(post('{}'))
    const { signal } = request
    const closed = left(response)
    response.end('done')
    await client.response()
    await closed
    expect(signal.aborted).toBe(false)
  })

  it('without the response tells of a client that left in the middle of its body', async () => {
    const { incoming, client } = await receive(post('{}').replace('Length: 2', 'Length: 9'))
    const request = toRequest(incoming)
    const { signal } = request
    const closed = new Promise(resolve => incoming.once('close', resolve))
    client.reset()
    await closed
    expect(signal.aborted).toBe(true)
    await expect(request.text()).rejects.toThrow()
  })
})
