import { describe, expect, it } from 'vitest'
import type { Reply } from '../../src/contracts/provider.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { concurrent } from '../../src/rate-limiting/rule.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { hedge } from '../../src/routing/hedge.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { withCallOptions } from '../../src/routing/with-call-options.ts'
import { forever, scripted, serving, whole } from '../support/scripted-gateway.ts'

/** A target that answers with its name. Its first call hangs until it is released. */
function named(
  name: string,
  maxConcurrent?: number,
  answer: () => Reply | Promise<Reply> = () => whole(name),
) {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const made = scripted(
    (signal, index) =>
      index === 0 && maxConcurrent !== undefined
        ? Promise.race([held.then(() => whole(`${name}, held`)), forever(signal)])
        : answer(),
    { name, ...(maxConcurrent !== undefined && { maxConcurrent }) },
  )
  return { ...made, release }
}

const textOf = async (asked: Response | Promise<Response>) =>
  ((await (await asked).json()) as { choices: { message: { content: string } }[] }).choices[0]!.message
    .content

describe('a provider whose concurrent calls are all in use', () => {
  it('is left for the next target after queueMs, and is not called', async () => {
    const [full, free] = [named('full', 1), named('free')]
    const { post, ends, gateway } = serving(full.target, {
      route: models({ alone: full.target, m: fallback(full.target, free.target) }),
      timeouts: { queueMs: 20 },
      breaker: { failures: 1 },
    })
    const held = post({ model: 'alone' })
    await expect.poll(() => full.signals.length).toBe(1)
    const began = performance.now()
    expect(await textOf(post({}))).toBe('free')
    expect(performance.now() - began).toBeGreaterThanOrEqual(19)
    expect(ends()[0]!.attempts).toMatchObject([
      { provider: 'full', called: false, why: 'first', error: { name: 'QueueLeft' } },
      { provider: 'free', called: true, why: 'fallback', error: undefined },
    ])
    // Its health says nothing of it.
    expect(gateway.targets().map(({ targets }) => targets[0]!.health)).toMatchObject([
      { state: 'closed' },
      { state: 'closed', active: 1 },
    ])
    full.release()
    expect(await textOf(held)).toBe('full, held')
    expect([full.signals.length, free.signals.length]).toEqual([1, 1])
    expect(await textOf(post({}))).toBe('full')
  })

  it('is waited for without another target', async () => {
    const [full, free] = [named('full', 1), named('free')]
    const { post } = serving(full.target, {
      route: models({ m: full.target, spare: fallback(full.target, free.target) }),
      timeouts: { queueMs: 10 },
    })
    const held = post({})
    await expect.poll(() => full.signals.length).toBe(1)
    const waiting = post({})
    // It came later, and has waited for queueMs.
    expect(await textOf(post({ model: 'spare' }))).toBe('free')
    full.release()
    expect([await textOf(held), await textOf(waiting)]).toEqual(['full, held', 'full'])
  })

  it('keeps its place in the queue where the next target has no capacity either', async () => {
    const [full, free] = [named('full', 1), named('free')]
    const other = scripted(signal => forever(signal), { name: 'other' })
    const own = withCallOptions(other.target, { limits: limits([concurrent(1)]) })
    const { post, ends } = serving(full.target, {
      route: models({
        alone: full.target,
        other: own,
        m: fallback(full.target, own),
        spare: fallback(full.target, free.target),
      }),
      timeouts: { queueMs: 10 },
    })
    const held = post({ model: 'alone' })
    const leaving = new AbortController()
    const busy = post({ model: 'other' }, { signal: leaving.signal }).catch(() => {})
    await expect.poll(() => full.signals.length + other.signals.length).toBe(2)
    const asked = post({})
    expect(await textOf(post({ model: 'spare' }))).toBe('free')
    full.release()
    expect([await textOf(held), await textOf(asked)]).toEqual(['full, held', 'full'])
    expect(ends().at(-1)!.attempts).toMatchObject([{ provider: 'full', called: true, why: 'first' }])
    leaving.abort()
    await busy
  })

  it('is called after all others have failed, which is no retry, and mirrors its calls once', async () => {
    const [full, copy] = [named('full', 1), named('copy')]
    const failing = (name: string) => named(name, undefined, () => Promise.reject(new TypeError('It fails.')))
    const [second, third] = [failing('second'), failing('third')]
    const { post, ends } = serving(full.target, {
      route: models({
        alone: full.target,
        m: fallback(mirror(full.target, copy.target), second.target, third.target),
      }),
      timeouts: { queueMs: 10 },
      retry: false,
    })
    const held = post({ model: 'alone' })
    await expect.poll(() => full.signals.length).toBe(1)
    const asked = post({})
    await expect.poll(() => third.signals.length).toBe(1)
    full.release()
    expect([await textOf(held), await textOf(asked)]).toEqual(['full, held', 'full'])
    const attempts = ends().at(-1)!.attempts
    expect(attempts.map(({ provider, called, why }) => [provider, called, why])).toEqual([
      ['full', false, 'first'],
      ['second', true, 'fallback'],
      ['third', true, 'fallback'],
      ['full', true, 'fallback'],
    ])
    expect(copy.signals).toHaveLength(1)
  })

  it('stays in a hedge that begins earlier', async () => {
    const full = named('full', 1)
    const slow = scripted(signal => forever(signal), { name: 'slow' })
    const { post } = serving(full.target, {
      route: models({ alone: full.target, m: hedge(full.target, slow.target, { afterMs: 5 }) }),
      timeouts: { queueMs: 60_000 },
    })
    const held = post({ model: 'alone' })
    await expect.poll(() => full.signals.length).toBe(1)
    const asked = post({})
    await expect.poll(() => slow.signals.length).toBe(1)
    full.release()
    expect([await textOf(held), await textOf(asked)]).toEqual(['full, held', 'full'])
  })

  it('is left by streams alike', async () => {
    const full = named('full', 1)
    const streaming = scripted(
      () => ({
        kind: 'stream',
        chunks: (async function* () {
          yield [{ choices: [{ index: 0, delta: { content: 'streamed' } }] }]
          yield [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]
        })(),
      }),
      { name: 'streaming' },
    )
    const { post } = serving(full.target, {
      route: models({ alone: full.target, m: fallback(full.target, streaming.target) }),
      timeouts: { queueMs: 10 },
    })
    const held = post({ model: 'alone' })
    await expect.poll(() => full.signals.length).toBe(1)
    expect(await (await post({ stream: true })).text()).toContain('streamed')
    full.release()
    expect(await textOf(held)).toBe('full, held')
  })
})
