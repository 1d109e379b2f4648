import { describe, expect, it } from 'vitest'
import type { Provider, Reply } from '../../src/contracts/provider.ts'
import {
  chunks,
  eventsOf,
  forever,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'

describe('a gateway that is left, or closed', () => {
  it('closes the upstream call when the client leaves, in every phase', async () => {
    const phases: [string, Partial<Provider>, (signal: AbortSignal) => Reply | Promise<Reply>, object][] = [
      ['before headers', { transport: (_, signal) => forever(signal) }, () => whole(''), { stream: true }],
      ['without a stream', {}, signal => forever(signal), {}],
    ]
    for (const [phase, more, answer, body] of phases) {
      const left = new AbortController()
      const { post, ends } = serving(scripted(answer, more).target)
      const answering = post(body, { signal: left.signal })
      await turn()
      left.abort()
      expect((await answering).status, phase).toBe(499)
      expect(ends(), phase).toMatchObject([{ outcome: 'client_disconnected', status: 499 }])
    }
  })

  it('closes the upstream call when the reader of a stream leaves', async () => {
    let returned = 0
    const source = scripted(signal => ({
      kind: 'stream',
      chunks: (async function* () {
        try {
          yield [text('a')]
          await forever(signal)
        } finally {
          returned++
        }
      })(),
    }))
    const { post, ends } = serving(source.target)
    const response = await post({ stream: true })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(source.signals[0]?.aborted).toBe(true)
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected', usageEstimated: true }])
    await new Promise(resolve => setImmediate(resolve))
    expect(returned).toBe(1)
  })

  it('asks no upstream once the client has left, at whatever turn, and tells of each that was asked', async () => {
    let asked = 0
    for (let turns = 0; turns < 60; turns++) {
      const left = new AbortController()
      const gone: boolean[] = []
      const { target } = scripted(() => stream([text('a'), stop]), {
        maxConcurrent: 1,
        transport: async (_, signal) => {
          gone.push(signal.aborted)
          return { status: 200, headers: { get: () => null }, body: chunks() as never }
        },
      })
      const { post, ends } = serving(target)
      const answering = post({ stream: true }, { signal: left.signal })
      for (let passed = 0; passed < turns; passed++) await undefined
      left.abort()
      const response = await answering
      await response.text().catch(() => {})
      expect(ends()).toHaveLength(1)
      expect(gone).not.toContain(true)
      expect(ends()[0]?.attempts.filter(({ called }) => called)).toHaveLength(gone.length)
      asked += gone.length
    }
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(60)
  })

  it('settles also when nobody ever reads the stream', async () => {
    const left = new AbortController()
    const source = scripted(() => stream([text('a')], [text('b')]))
    const { post, ends } = serving(source.target)
    await post({ stream: true }, { signal: left.signal })
    left.abort()
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected' }])
    expect(source.signals[0]?.aborted).toBe(true)
  })

  it('bounds the calls of a provider, holds a slot to the end of the answer and lets who waits leave', async () => {
    const { target, signals } = scripted(() => stream([text('a')], [text('b'), stop]), { maxConcurrent: 1 })
    const { post } = serving(target)
    const first = await post({ stream: true })
    const left = new AbortController()
    const second = post({ stream: true }, { signal: left.signal })
    const third = post({ stream: true })
    await turn()
    expect(signals).toHaveLength(1)
    left.abort()
    expect((await second).status).toBe(499)
    await first.text()
    expect((await third).status).toBe(200)
    expect(signals).toHaveLength(2)
  })

  it('sends the head of the answer and comments while a slow upstream is awaited', async () => {
    let answer: ((reply: Reply) => void) | undefined
    const slow = scripted(
      () =>
        new Promise<Reply>(resolve => {
          answer = resolve
        }),
    )
    const { post } = serving(slow.target, { stream: { keepAliveMs: 10 } })
    const response = await post({ stream: true })
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(': keep-alive\n\n')
    answer!(stream([text('at last'), stop]))
    let body = ''
    for (let read = await reader.read(); !read.done; read = await reader.read())
      body += new TextDecoder().decode(read.value)
    expect(body).toContain('at last')
    expect(body).toContain('[DONE]')
  })

  it('drains on close: runs on, refuses what is new, ends what takes too long', async () => {
    const { post, gateway, ends } = serving(
      scripted(signal => ({
        kind: 'stream',
        chunks: (async function* () {
          yield [text('a')]
          await forever(signal)
        })(),
      })).target,
    )
    const response = await post({ stream: true })
    const body = response.text()
    const closed = gateway.close({ drainMs: 20 })
    expect((await post({})).status).toBe(503)
    await closed
    expect(eventsOf(await body).at(-1)).toMatchObject({ error: { code: 'server_is_overloaded' } })
    expect(ends().map(({ outcome }) => outcome)).toEqual(['gateway_closed'])
  })

  it('does not wait on close for a stream that nobody reads', async () => {
    const { post, gateway, ends } = serving(scripted(() => stream([text('a')], [text('b')])).target)
    await post({ stream: true })
    await Promise.all([gateway.close({ drainMs: 5 }), gateway.close()])
    expect(ends()).toMatchObject([{ outcome: 'gateway_closed' }])
  })

  it('lets a call wait for its turn no longer than all of it may take', async () => {
    const { target, signals } = scripted(() => stream([text('a')], [text('b')]), { maxConcurrent: 1 })
    const holder = serving(target)
    const held = await holder.post({ stream: true })
    const { post } = serving(target, { timeouts: { totalMs: 30 } })
    expect((await post({})).status).toBe(504)
    expect(signals).toHaveLength(1)
    await held.body?.cancel()
  })

  it('gives everything back at the deadline of a stream that nobody reads, and tells a late reader', async () => {
    const { target } = scripted(() => stream([text('a')], [text('b'), stop]), { maxConcurrent: 1 })
    const { post, ends } = serving(target, { timeouts: { totalMs: 30 } })
    const unread = await post({ stream: true })
    await new Promise<void>(resolve => {
      const wait = setInterval(() => {
        if (ends().length === 0) return
        clearInterval(wait)
        resolve()
      }, 5)
    })
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed' }])
    expect((await post({ stream: true })).status).toBe(200)
    const body = await unread.text()
    expect(eventsOf(body).at(-1)).toMatchObject({ error: { code: 'timeout' } })
    expect(body).not.toContain('[DONE]')
  })

  it.each([
    ['the deadline', { timeouts: { totalMs: 60 } }],
    ['the end of the gateway', {}],
  ] as const)(
    'gives everything back at %s, where a first event is awaited that nobody reads',
    async (_, more) => {
      const silent = scripted(signal => ({
        kind: 'stream',
        chunks: (async function* () {
          await forever(signal)
          yield []
        })(),
      }))
      const { post, gateway, ends } = serving(silent.target, { stream: { holdMs: 5 }, ...more })
      const unread = await post({ stream: true })
      if (!('timeouts' in more)) await gateway.close({ drainMs: 5 })
      await expect.poll(() => ends()).toHaveLength(1)
      expect(silent.signals[0]?.aborted).toBe(true)
      expect(ends()[0]).toMatchObject({ usage: { completion_tokens: 4_096 }, usageEstimated: true })
      expect(eventsOf(await unread.text())).toMatchObject([{ error: {} }])
      expect(ends()).toHaveLength(1)
    },
  )

  it("breaks the body off by the Request's own signal, also between two reads", async () => {
    const left = new AbortController()
    const source = scripted(() => stream([text('a')], [text('b')], [text('c')]))
    const { post, ends } = serving(source.target)
    const response = await post({ stream: true }, { signal: left.signal })
    const reader = response.body!.getReader()
    await reader.read()
    left.abort(new Error('gone'))
    await expect(reader.read()).rejects.toThrow('gone')
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected' }])
  })

  it('leaves a transport of the user open on close', async () => {
    let closed = 0
    const transport = Object.assign(
      async () => ({ status: 200, headers: { get: () => null }, body: chunks() as never }),
      {
        close: async () => void closed++,
      },
    )
    await serving(scripted(() => whole('Hi')).target, { transport }).gateway.close()
    expect(closed).toBe(0)
  })
})
