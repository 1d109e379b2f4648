import { describe, expect, it } from 'vitest'
import { clientOf, receive } from '../../../test/e2e/mounts/receive.ts'
import { IncomingBody } from './incoming-body.ts'

const head = (headers: string) => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`
const sized = (length: number) => head(`Content-Length: ${length}`)

async function bodyOf(text: string) {
  const received = await receive(text)
  return { ...received, body: new IncomingBody(received.incoming, undefined, undefined) }
}

async function piecesOf(body: IncomingBody): Promise<string> {
  let text = ''
  for await (const piece of body.stream) text += Buffer.from(piece)
  return text
}

describe('IncomingBody', () => {
  it('has what came along with the head at once, and its message ends', async () => {
    const { body, incoming } = await bodyOf(`${sized(5)}hello`)
    const ended = new Promise(resolve => incoming.once('end', resolve))
    expect(String(body.buffered())).toBe('hello')
    await ended
    expect(incoming.complete).toBe(true)
    expect(await piecesOf(body)).toBe('')
  })

  it('has no part of one that is still to come', async () => {
    const { body, client } = await bodyOf(`${sized(10)}hello`)
    expect(body.buffered()).toBeUndefined()
    await client.send('world')
    expect(await piecesOf(body)).toBe('helloworld')
  })

  it.each([
    ['an empty one', sized(0), ''],
    ['one in chunks', `${head('Transfer-Encoding: chunked')}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`, 'hello'],
  ])('has %s', async (_, text, expected) => {
    const { body } = await bodyOf(text)
    await new Promise(setImmediate)
    expect(Buffer.from(body.buffered()!).toString()).toBe(expected)
  })

  it('leaves a message that flows to its reader', async () => {
    const { body, incoming } = await bodyOf(`${sized(5)}hello`)
    incoming.resume()
    expect(body.buffered()).toBeUndefined()
  })

  it('has nothing where a native request has it', async () => {
    const { body } = await bodyOf(`${sized(5)}hello`)
    body.native = new Request('http://a', { method: 'POST', body: 'other' })
    expect(body.buffered()).toBeUndefined()
    expect(await piecesOf(body)).toBe('other')
  })

  it('keeps its connection for the next request, also where it is answered at once', async () => {
    const client = await clientOf(async (incoming, response) => {
      await undefined
      response.end(new IncomingBody(incoming, undefined, undefined).buffered())
    })
    for (const word of ['one', 'two', 'three']) {
      await client.send(`${sized(word.length)}${word}`)
      expect((await client.response())?.body).toBe(word)
    }
    await client.send(`${sized(3)}one${sized(3)}two`)
    expect([(await client.response())?.body, (await client.response())?.body]).toEqual(['one', 'two'])
  })
})
