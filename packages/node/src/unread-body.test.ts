import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { plain } from '../../../test/e2e/mounts/answers.ts'
import { clientOf } from '../../../test/e2e/mounts/receive.ts'
import { send } from './send.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const json = { 'content-type': 'application/json' }

describe('an answer before the body was read', () => {
  const post = (length: number, more = '') =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n${more}\r\n`
  const refusing: RequestListener = (_, res) =>
    void Promise.resolve().then(() => send(plain({ status: 401, headers: json, body: '{}' }), res))

  it('keeps the connection for a small body that is still to come', async () => {
    const client = await clientOf(refusing, `${post(5)}he`)
    expect(await client.response()).toMatchObject({ status: 401, body: '{}' })
    await client.send(`llo${get}`)
    const second = await client.response()
    expect(second).toMatchObject({ status: 401 })
    expect(second?.headers.connection).not.toBe('close')
  })

  it.each([
    ['a large body', post(10_000_000)],
    ['a chunked body', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('closes the connection after %s, and not before the client is done', async (_, request) => {
    const client = await clientOf(refusing, request)
    const answer = await client.response()
    expect(answer).toMatchObject({ status: 401, body: '{}', complete: true })
    expect(answer?.headers.connection).toBe('close')
    // What stands where the body should be is never taken for a request.
    await client.send(get)
    client.halfClose()
    await client.waitForEnd()
    expect(
      Buffer.from(client.received)
        .toString()
        .match(/HTTP\/1\.1 /g),
    ).toHaveLength(1)
  })

  it('takes the rest of a body whose client reads only at the end', async () => {
    const client = await clientOf(refusing, post(8_000_000), true)
    await client.send(Buffer.alloc(8_000_000))
    client.resume()
    expect(await client.response()).toMatchObject({ status: 401, complete: true })
    expect(await client.waitForEnd()).toBe('end')
  })
})
