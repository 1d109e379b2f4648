import type { RequestListener, ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { pieces, plain } from '../../../test/e2e/mounts/answers.ts'
import { clientOf, receive } from '../../../test/e2e/mounts/receive.ts'
import { type SendOptions, send } from './send.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

describe('a stream', () => {
  it('sends its head at once, and each piece when it comes', async () => {
    const source = pieces()
    const client = await clientOf(
      (_, res) => void send(plain({ headers: { 'x-a': '1' }, body: source }), res),
      get,
    )
    await client.waitFor('x-a: 1')
    await source.put('one')
    await client.waitFor('one')
    await source.put('')
    await source.put('two')
    await client.waitFor('two')
    await source.end()
    const answer = await client.response()
    expect([answer?.body, answer?.complete, answer?.chunkSizes]).toEqual(['onetwo', true, [3, 3]])
    expect(source.left).toBe(0)
  })

  it('flushes after each piece where compressing middleware wants it, and only there', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const source = pieces()
    let flushed = 0
    const client = await clientOf((_, res) => {
      Object.assign(res, { flush: () => flushed++ })
      void send(plain({ body: source }), res)
    }, get)
    await source.put('one')
    await client.waitFor('one')
    await source.put('two')
    await client.waitFor('two')
    expect(flushed).toBe(2)
    await source.end()
    const other = await clientOf((_, res) => void send(new Response('native'), res), get)
    expect((await other.response())?.body).toBe('native')
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('is left when its client leaves, also while it waits for a piece', async () => {
    const source = pieces()
    let sent: Promise<void> | undefined
    const client = await clientOf((_, res) => {
      sent = send(plain({ body: source }), res)
    }, get)
    await source.put('one')
    await client.waitFor('one')
    client.reset()
    await sent
    expect(source.left).toBe(1)
  })

  it('cancels the native body when its client leaves', async () => {
    let cancelled = 0
    const body = new ReadableStream({
      start: controller => controller.enqueue(Buffer.from('one')),
      cancel() {
        cancelled++
        throw new Error('cancelling failed')
      },
    })
    let sent: Promise<void> | undefined
    const client = await clientOf((_, res) => {
      sent = send(new Response(body), res)
    }, get)
    await client.waitFor('one')
    client.reset()
    await sent
    expect(cancelled).toBe(1)
  })

  it('is not even begun for a client that has left', async () => {
    const { response, client } = await receive(get)
    const closed = new Promise(resolve => response.once('close', resolve))
    client.reset()
    await closed
    const source = pieces()
    await send(plain({ body: source }), response)
    expect(source.left).toBe(1)
  })

  it('cuts the connection when it breaks: a broken stream must not look whole', async () => {
    const source = pieces()
    let sent: Promise<void> | undefined
    const client = await clientOf((_, res) => {
      sent = send(plain({ body: source }), res)
      sent.catch(() => {})
    }, get)
    await source.put('one')
    await client.waitFor('one')
    await source.break(new Error('upstream broke'))
    await expect(sent).rejects.toThrow('upstream broke')
    await client.waitForEnd()
    expect(await client.response()).toMatchObject({ body: 'one', complete: false })
  })

  const flood = (counted: { bytes: number; left: boolean }) =>
    (async function* () {
      try {
        for (;;) {
          counted.bytes += 65_536
          yield 'x'.repeat(65_536)
        }
      } finally {
        counted.left = true
      }
    })()

  const sending =
    (counted: { bytes: number; left: boolean }, options: SendOptions, done: () => void): RequestListener =>
    (_, res) =>
      void send(plain({ body: flood(counted) }), res, options).then(done)

  it('waits for a client that reads slowly, on one drain listener', async () => {
    const counted = { bytes: 0, left: false }
    let response: ServerResponse | undefined
    const client = await clientOf(
      (_, res) => {
        response = res
        void send(plain({ body: flood(counted) }), res)
      },
      get,
      true,
    )
    const still = async () => {
      for (let before = -1; before !== counted.bytes; ) {
        before = counted.bytes
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
    await still()
    const first = counted.bytes
    expect(first).toBeLessThan(32 * 1024 * 1024)
    expect(response!.listenerCount('drain')).toBe(1)
    client.resume()
    await vi.waitUntil(() => counted.bytes > first + 16 * 1024 * 1024, { timeout: 5_000 })
    expect(response!.listenerCount('drain')).toBe(1)
    client.reset()
    await expect.poll(() => counted.left).toBeTruthy()
    expect(response!.listenerCount('drain')).toBe(0)
  })

  it('cuts off a client that reads nothing for too long', async () => {
    const counted = { bytes: 0, left: false }
    let done = false
    const client = await clientOf(
      sending(counted, { writeStallMs: 100 }, () => (done = true)),
      get,
      true,
    )
    await vi.waitUntil(() => done && counted.left, { timeout: 5_000 })
    client.resume()
    expect(await client.waitForEnd()).toBeDefined()
  })

  it('cuts off a client that does not take the rest of a whole answer', async () => {
    const body = 'x'.repeat(64 * 1024 * 1024)
    let closed = false
    await clientOf(
      (_, res) => {
        res.once('close', () => (closed = true))
        void send(plain({ body }), res, { writeStallMs: 100 })
      },
      get,
      true,
    )
    await vi.waitUntil(() => closed, { timeout: 5_000 })
  })
})
