import { describe, expect, it, vi } from 'vitest'
import type { DiscardedCallEvent } from '../../src/contracts/events.ts'
import type { PartialChunk, Provider, Target } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { maxShadows } from '../../src/upstream/attempts/running-shadows.ts'
import {
  forever,
  type Scripted,
  scripted,
  serving,
  stop,
  stream,
  text,
  whole,
} from '../support/scripted-gateway.ts'

/** A gateway whose one target has shadows. */
function shadowed(
  shadows: readonly Target[],
  options: Partial<GatewayOptions> = {},
  main = scripted(answerOf),
) {
  const route = () => [{ ...main.target, shadows }]
  const prices: GatewayOptions['prices'] = (usage, { upstreamModel }) =>
    upstreamModel === 'shadow' ? usage.completion_tokens : 1_000
  const served = serving(main.target, { route, prices, ...options })
  const unused = () =>
    served.events.filter((event): event is DiscardedCallEvent => event.type === 'discarded_call')
  const told = (count = 1) => vi.waitFor(() => expect(unused()).toHaveLength(count), 5_000)
  return { ...served, unused, told, main }
}

function answerOf() {
  return whole('main')
}

const named = ({ target }: Scripted, more: Partial<Target> = {}): Target => ({
  ...target,
  model: 'shadow',
  ...more,
})

describe('a shadow', () => {
  it.each([false, true])(
    'is asked the same, dropped and told of with its price, stream: %j',
    async streamed => {
      const reply = (said: string) => () =>
        streamed
          ? stream([text(said)], [stop, { choices: [], usage: { prompt_tokens: 3, completion_tokens: 7 } }])
          : whole(said)
      const shadow = scripted(reply('shadow'))
      const { post, ends, told, unused, gateway } = shadowed([named(shadow)], {}, scripted(reply('main')))
      const body = await (await post({ stream: streamed, temperature: 0.5 })).text()
      expect(body).toContain('main')
      expect(body).not.toContain('shadow')
      await told()
      expect(shadow.inputs).toMatchObject([{ temperature: 0.5, stream: streamed }])
      expect(unused()).toMatchObject([
        {
          model: 'm',
          principal: { id: 'ann' },
          attempt: { model: 'shadow', why: 'shadow', called: true, error: undefined },
          usageEstimated: false,
          cost: streamed ? 7 : 2,
        },
      ])
      expect(ends()).toMatchObject([{ cost: 1_000, attempts: [{ why: 'first' }] }])
      await gateway.close()
      expect(unused()).toHaveLength(1)
    },
  )

  it('has parameters of its own, of which the caller hears nothing', async () => {
    const shadow = scripted(() => whole('shadow'))
    const { post, told } = shadowed([named(shadow, { parameters: { temperature: 0 } })])
    const response = await post({ temperature: 1 })
    await told()
    expect(response.headers.get('x-sluice-adjustments')).toBeNull()
    expect(shadow.inputs[0]?.temperature).toBe(0)
  })

  it('is asked once for a request, with the first call of its target', async () => {
    const shadow = scripted(() => whole('shadow'))
    const flaky = scripted((_, index) =>
      index === 0 ? Promise.reject(new UpstreamError('x', { kind: 'unreachable' })) : whole('main'),
    )
    const { post, told, gateway } = shadowed([named(shadow)], { retry: { baseMs: 1 } }, flaky)
    expect((await post({})).status).toBe(200)
    await told()
    await gateway.close()
    expect(shadow.inputs).toHaveLength(1)
  })

  it('is not asked where its target is not', async () => {
    const shadow = scripted(() => whole('shadow'))
    const main = scripted(answerOf)
    const route = () => [main.target, { ...main.target, model: 'other', shadows: [named(shadow)] }]
    const { post, gateway } = serving(main.target, { route })
    await post({})
    await gateway.close()
    expect(shadow.inputs).toEqual([])
  })

  const thrown = (more: Partial<Provider>) => scripted(() => whole('shadow'), more)
  it.each<[string, Scripted, string]>([
    [
      'cannot write its request',
      thrown({
        encode: () => {
          throw new TypeError('bug')
        },
      }),
      'TypeError',
    ],
    ['cannot be reached', thrown({ transport: () => Promise.reject(new Error('down')) }), 'UpstreamError'],
    [
      'throws from its transport',
      thrown({
        transport: () => {
          throw new Error('bug')
        },
      }),
      'UpstreamError',
    ],
    ['answers with nothing that is an answer', scripted(() => undefined as never), 'UpstreamError'],
    [
      'refuses',
      scripted(() => Promise.reject(new UpstreamError('x', { kind: 'refused', status: 500 }))),
      'UpstreamError',
    ],
  ])('that %s costs nothing, and the caller nothing', async (_, shadow, name) => {
    const { post, told, unused, ends } = shadowed([named(shadow)])
    expect((await post({})).status).toBe(200)
    await told()
    expect(unused()).toMatchObject([{ attempt: { error: { name } }, usage: undefined, cost: null }])
    expect(ends()).toMatchObject([{ outcome: 'completed', error: undefined }])
  })

  it('that breaks off is told of with what it had used', async () => {
    const broken = scripted(() =>
      stream([text('x'.repeat(40))], new UpstreamError('x', { kind: 'truncated' })),
    )
    const main = scripted(() => stream([text('main'), stop]))
    const { post, told, unused } = shadowed([named(broken)], {}, main)
    await (await post({ stream: true })).text()
    await told()
    expect(unused()).toMatchObject([
      {
        attempt: { error: { kind: 'truncated' } },
        usage: { completion_tokens: 10 },
        usageEstimated: true,
        cost: 10,
      },
    ])
  })

  it('that never answers holds neither the caller nor the end of the gateway', async () => {
    const hanging = scripted(() => new Promise(() => {}))
    const { post, unused, gateway } = shadowed([named(hanging)])
    expect((await post({})).status).toBe(200)
    await expect.poll(() => hanging.signals).toHaveLength(1)
    await gateway.close({ drainMs: 20 })
    expect(hanging.signals[0]?.aborted).toBe(true)
    expect(unused()).toMatchObject([
      {
        attempt: { error: { name: 'LifeEnded' } },
        usage: { completion_tokens: 4_096 },
        usageEstimated: true,
      },
    ])
  })

  it('has a deadline of its own', async () => {
    const hanging = scripted(() => new Promise(() => {}), { transport: (_, signal) => forever(signal) })
    const { post, unused, told } = shadowed([named(hanging)], {
      timeouts: { firstByteMs: 20, responseMs: 20 },
    })
    expect((await post({})).status).toBe(200)
    await told()
    expect(unused()).toMatchObject([
      { attempt: { error: { kind: 'response_timeout' } }, usage: { completion_tokens: 4_096 } },
    ])
  })

  it('outlives a caller who leaves', async () => {
    let finish = () => {}
    const shadow = scripted(async () => {
      await new Promise<void>(resolve => {
        finish = resolve
      })
      return whole('shadow')
    })
    const { post, told, unused } = shadowed([named(shadow)], {}, scripted(forever))
    const left = new AbortController()
    const answering = post({}, { signal: left.signal })
    await expect.poll(() => shadow.signals).toHaveLength(1)
    left.abort()
    expect((await answering).status).toBe(499)
    finish()
    await told()
    expect(unused()).toMatchObject([{ attempt: { error: undefined }, cost: 2 }])
  })

  it('that floods without end is read no further than a whole answer may be, and lets others have their turn', async () => {
    let reads = 0
    const piece: PartialChunk[] = [text('x'.repeat(64 * 1024))]
    const flood = scripted(() => ({
      kind: 'stream',
      chunks: (async function* () {
        for (;;) {
          reads++
          yield piece
        }
      })(),
    }))
    const main = scripted(() => stream([text('main'), stop]))
    const { post, told, unused } = shadowed([named(flood)], {}, main)
    const answers = await Promise.all([post({ stream: true }), post({ stream: true })])
    for (const answer of answers) expect(await answer.text()).toContain('main')
    await told(2)
    expect(reads).toBeLessThan(2 * 520)
    expect(unused()).toMatchObject(
      Array(2).fill({ attempt: { error: { kind: 'garbled' } }, usageEstimated: true }),
    )
  })

  it('is left out where many are being asked already, or its target is left alone', async () => {
    const hanging = scripted(() => new Promise(() => {}))
    const { post, unused, told, gateway } = shadowed([named(hanging)])
    for (let n = 0; n < maxShadows + 2; n++) expect((await post({})).status).toBe(200)
    await told(2)
    expect(unused()[0]).toMatchObject({
      attempt: { called: false, error: { name: 'ShadowSkipped' } },
      usage: undefined,
      cost: null,
    })
    await expect.poll(() => hanging.signals).toHaveLength(maxShadows)
    await gateway.close({ drainMs: 0 })
    expect(unused()).toHaveLength(maxShadows + 2)

    const cool = scripted(() => Promise.reject(new UpstreamError('x', { kind: 'refused', status: 429 })))
    const left = shadowed([named(cool)], { breaker: {} })
    await left.post({})
    await left.told(1)
    await left.post({})
    await left.told(2)
    expect(cool.inputs).toHaveLength(1)
    expect(left.unused()[1]).toMatchObject({ attempt: { called: false, ms: expect.any(Number) } })
  })

  it('keeps what a reload has replaced, until it has ended', async () => {
    let finish = () => {}
    const shadow = scripted(async () => {
      await new Promise<void>(resolve => {
        finish = resolve
      })
      return whole('shadow')
    })
    const { post, told, gateway, main } = shadowed([named(shadow)])
    await post({})
    await expect.poll(() => shadow.signals).toHaveLength(1)
    gateway.reload({ authenticate: () => ({ id: 'ann' }), route: () => [main.target] })
    finish()
    await told()
    await gateway.close()
  })
})
