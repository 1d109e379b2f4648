import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { clientOf } from '../../../test/e2e/mounts/receive.ts'
import { BodyStream } from './body-stream.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** Pipes as Koa 2 does, or as Koa 3 does. */
const pipes = {
  pipe: (body: BodyStream, res: ServerResponse) => void body.on('error', () => {}).pipe(res),
  pipeline: (body: BodyStream, res: ServerResponse) => void pipeline(body, res, () => {}),
}

describe.each(Object.entries(pipes))('BodyStream by %s', (_, pipe) => {
  async function piping(source: () => AsyncIterable<string | Uint8Array>, stallMs?: number, paused = false) {
    let body: BodyStream | undefined
    const client = await clientOf(
      (_, res) => {
        body = new BodyStream(source(), res, stallMs)
        res.once('close', () => body?.destroy())
        pipe(body, res)
      },
      get,
      paused,
    )
    return { client, body: () => body! }
  }

  it('carries text and bytes, and ends', async () => {
    const { client } = await piping(async function* () {
      yield 'grü'
      yield ''
      yield Buffer.from('ße')
    })
    expect(await client.response()).toMatchObject({ body: 'grüße', complete: true })
  })

  it('leaves its source when the client leaves', async () => {
    let left = 0
    const source = {
      next: (() => {
        let first = true
        return () => {
          if (!first) return new Promise<never>(() => {})
          first = false
          return Promise.resolve({ done: false, value: 'one' })
        }
      })(),
      return: () => {
        left++
        return Promise.reject(new Error('leaving failed'))
      },
      [Symbol.asyncIterator]: () => source,
    }
    const { client } = await piping(() => source as AsyncIterable<string>)
    await client.waitFor('one')
    client.reset()
    await expect.poll(() => left).toBeGreaterThan(0)
    expect(left).toBe(1)
  })

  it('cuts the connection when its source breaks', async () => {
    const { client } = await piping(async function* () {
      yield 'one'
      throw new Error('broke')
    })
    expect(await client.response()).toMatchObject({ body: 'one', complete: false })
  })

  it('stops reading, and at last cuts off a client that reads nothing', async () => {
    let bytes = 0
    let left = false
    const { body } = await piping(
      async function* () {
        try {
          for (;;) {
            bytes += 65_536
            yield 'x'.repeat(65_536)
          }
        } finally {
          left = true
        }
      },
      200,
      true,
    )
    await vi.waitUntil(() => left, { timeout: 5_000 })
    expect(bytes).toBeLessThan(16 * 1024 * 1024)
    expect(body().destroyed).toBe(true)
  })

  it('cuts off a client that does not take the end', async () => {
    let closed = false
    const { body } = await piping(
      async function* () {
        yield 'x'.repeat(64 * 1024 * 1024)
      },
      200,
      true,
    )
    await expect.poll(() => body()).toBeDefined()
    body().once('close', () => {
      closed = true
    })
    await vi.waitUntil(() => closed, { timeout: 5_000 })
  })
})
