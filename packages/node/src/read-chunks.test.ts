import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { receive } from '../../../test/e2e/mounts/receive.ts'
import { readChunks } from './read-chunks.ts'

const head = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`

const listeners = (incoming: IncomingMessage) =>
  ['readable', 'end', 'error', 'close'].map(name => incoming.listenerCount(name))

describe('chunks', () => {
  it('gives a body that is there without listening for it', async () => {
    const { incoming } = await receive(`${head(5)}hello`)
    await new Promise(setImmediate)
    const before = listeners(incoming)
    const body = readChunks(incoming)
    const first = body.next()
    const second = first.then(() => body.next())
    expect(listeners(incoming)).toEqual(before)
    expect(String((await first).value)).toBe('hello')
    expect(await second).toEqual({ done: true, value: undefined })
    expect(await body.next()).toEqual({ done: true, value: undefined })
  })

  it('waits for what is still to come, and leaves no listener', async () => {
    const { incoming, client } = await receive(`${head(10)}hello`)
    const before = listeners(incoming)
    let text = ''
    const all = (async () => {
      for await (const piece of readChunks(incoming)) {
        text += piece
        if (text === 'hello') await client.send('world')
      }
    })()
    await all
    expect(text).toBe('helloworld')
    expect(listeners(incoming)).toEqual(before)
  })

  it('tells once that it waits', async () => {
    const { incoming, client } = await receive(head(2))
    let waits = 0
    const body = readChunks(incoming, () => waits++)
    const first = body.next()
    expect(waits).toBe(1)
    await client.send('a')
    await first
    const second = body.next()
    await client.send('b')
    await second
    expect(waits).toBe(1)
  })

  it('can be left while it waits, and the connection lives on', async () => {
    const { incoming, response, client } = await receive(`${head(10)}hello`)
    const before = listeners(incoming)
    const body = readChunks(incoming)
    await body.next()
    const waiting = body.next()
    await body.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(listeners(incoming)).toEqual(before)
    expect(incoming.destroyed).toBe(false)
    response.end('ok')
    await client.send('world')
    expect((await client.response())?.body).toBe('ok')
  })

  it.each(['before', 'while'])('rejects when the client leaves %s it waits', async when => {
    const { incoming, client } = await receive(`${head(10)}hello`)
    const closed = new Promise(resolve => incoming.once('close', resolve))
    const body = readChunks(incoming)
    await body.next()
    const waiting = when === 'while' ? body.next() : undefined
    waiting?.catch(() => {})
    client.reset()
    await closed
    await expect(waiting ?? body.next()).rejects.toThrow('disconnected before its request was complete')
  })

  it('is empty for an empty body', async () => {
    const { incoming } = await receive(head(0))
    expect(await readChunks(incoming).next()).toEqual({ done: true, value: undefined })
  })
})
