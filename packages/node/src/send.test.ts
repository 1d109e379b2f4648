import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { pieces, plain } from '../../../test/e2e/mounts/answers.ts'
import { clientOf, receive } from '../../../test/e2e/mounts/receive.ts'
import { send } from './send.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const json = { 'content-type': 'application/json' }

async function exchange(
  response: () => Response,
  request = get,
  before: (res: ServerResponse) => void = () => {},
) {
  const client = await clientOf((_, res) => {
    before(res)
    void send(response(), res)
  }, request)
  return (await client.response(request.split(' ', 1)[0]))!
}

describe('send', () => {
  it('writes an answer from its parts', async () => {
    const answer = await exchange(() => plain({ status: 429, headers: json, body: '{"ü":1}' }))
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      429,
      json['content-type'],
      '{"ü":1}',
    ])
    expect(answer.headers['content-length']).toBe('8')
    expect(answer.complete).toBe(true)
  })

  it('writes any other response by its native body', async () => {
    const headers = new Headers({ 'x-one': '1' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    const answer = await exchange(() => new Response('hello', { status: 201, headers }))
    expect([answer.status, answer.body, answer.headers['x-one']]).toEqual([201, 'hello', '1'])
    expect(answer.rawHeaders.filter(([name]) => name === 'set-cookie').map(([, value]) => value)).toEqual([
      'a=1',
      'b=2',
    ])
    expect(answer.headers['transfer-encoding']).toBe('chunked')
  })

  it.each([204, 304])('writes a %s without a body', async status => {
    const answer = await exchange(() => new Response(null, { status }))
    expect([answer.status, answer.headers['transfer-encoding']]).toEqual([status, undefined])
  })

  it('answers HEAD with the head alone, and leaves the stream', async () => {
    const head = get.replace('GET', 'HEAD')
    const whole = await exchange(() => plain({ headers: json, body: '{"a":1}' }), head)
    expect([whole.headers['content-length'], whole.body]).toEqual(['7', ''])
    const source = pieces()
    const streamed = await exchange(() => plain({ body: source }), head)
    expect([streamed.status, streamed.body, source.left]).toEqual([200, '', 1])
  })

  it('keeps the headers that the host has set, and adds up vary and set-cookie', async () => {
    const answer = await exchange(
      () => plain({ headers: { vary: 'authorization', 'set-cookie': 'b=2', 'X-Both': 'ours' }, body: 'x' }),
      get,
      res =>
        res
          .setHeader('Vary', 'Origin')
          .setHeader('Set-Cookie', 'a=1')
          .setHeader('x-both', 'host')
          .setHeader('x-host', '1'),
    )
    expect(answer.headers).toMatchObject({ 'x-both': 'ours', 'x-host': '1' })
    expect(answer.headers.vary).toBe('Origin, authorization')
    expect(answer.headers['set-cookie']).toBe('a=1, b=2')
  })

  it("keeps the host's headers beside the gateway's own list, which wins", async () => {
    const headerList = ['content-type', 'application/json', 'x-both', 'ours']
    const client = await clientOf((req, res) => {
      res.setHeader('X-Powered-By', 'a host').setHeader('X-Both', 'host')
      // Before all of it has come, the answer has to close the connection.
      req.resume().once('end', () => void send(plain({ status: 201, headerList, body: '{"ü":1}' }), res))
    }, get)
    const { status, body, headers, rawHeaders } = (await client.response())!
    expect([status, body]).toEqual([201, '{"ü":1}'])
    expect(headers).toMatchObject({
      'x-powered-by': 'a host',
      'content-type': 'application/json',
      'content-length': '8',
    })
    expect(rawHeaders.filter(([name]) => name.toLowerCase() === 'x-both')).toEqual([['x-both', 'ours']])
  })

  it('leaves out a header that HTTP cannot carry', async () => {
    const headers = {
      'x-split': 'a\r\nx-evil: 1',
      'x-wide': '日本',
      'bad name': 'x',
      'x-nul': '\0',
      'x-good': '1',
    }
    const answer = await exchange(() => plain({ headers, body: 'x' }))
    expect(answer.headers).toMatchObject({ 'x-good': '1', 'content-length': '1' })
    for (const name of ['x-split', 'x-wide', 'bad name', 'x-nul', 'x-evil'])
      expect(answer.headers).not.toHaveProperty(name)
  })

  it('rejects before it writes anything when the body was read already', async () => {
    const { response } = await receive(get)
    const used = new Response('x')
    await used.text()
    await expect(send(used, response)).rejects.toThrow(TypeError)
    expect(response.headersSent).toBe(false)
  })

  it('gives up quietly where somebody has answered already', async () => {
    const { response } = await receive(get)
    response.end('first')
    const source = pieces()
    await send(plain({ body: source }), response)
    expect(source.left).toBe(1)
  })
})
