import { describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { forever, scripted, serving, turn, whole } from '../support/scripted-gateway.ts'

const fine = () => scripted(() => whole('Hi.')).target
const refusals: [string, number, Partial<GatewayOptions>, object][] = [
  ['a stranger', 401, { authenticate: () => undefined }, {}],
  ['an unknown model', 404, {}, { model: 'other' }],
  ['a caller without leave', 403, { authorize: () => false }, {}],
]

describe('the beginning of a request', () => {
  it('is told before its model is asked, with what is known by then', async () => {
    const { target, inputs } = scripted(forever)
    const { post, events, gateway } = serving(target, { now: () => 1_795_000_000_123 })
    void post({ stream: true })
    await turn()
    const { requestId } = events[0] as { requestId: string }
    expect(requestId).toMatch(/^req_/)
    expect(events).toEqual([
      {
        type: 'begin',
        requestId,
        at: 1_795_000_000_123,
        operation: 'generate',
        dialect: 'chat',
        principal: { id: 'ann' },
        model: 'm',
        stream: true,
      },
    ])
    expect(inputs).toHaveLength(1)
    await gateway.close({ drainMs: 0 })
    expect(events.slice(1)).toMatchObject([
      { type: 'end', requestId, at: 1_795_000_000_123, outcome: 'gateway_closed' },
    ])
  })

  it.each(refusals)('is not told of %s', async (_, status, options, body) => {
    const { post, events } = serving(fine(), options)
    expect((await post(body)).status).toBe(status)
    expect(events.map(({ type }) => type)).toEqual(['end'])
  })

  it('is told of who is refused for lack of room, or for the rest of the body', async () => {
    const refused = serving(fine(), { limits: { kind: 'requests', limit: 1, per: 'hour' } })
    expect((await refused.post({})).status).toBe(200)
    expect((await refused.post({})).status).toBe(429)
    expect((await serving(fine()).post({ messages: [] })).status).toBe(400)
    expect(refused.events.map(({ type }) => type)).toEqual(['begin', 'end', 'begin', 'end'])
  })

  it('is not told after the end of a caller who left while their right was looked up', async () => {
    let allow: ((is: boolean) => void) | undefined
    const { post, events } = serving(fine(), {
      authorize: () =>
        new Promise(resolve => {
          allow = resolve
        }),
    })
    const caller = new AbortController()
    const answer = post({}, { signal: caller.signal })
    await turn()
    caller.abort()
    await answer
    allow?.(true)
    await turn()
    expect(events.map(({ type }) => type)).toEqual(['end'])
  })

  it('is where the times of attempts are counted from', async () => {
    let index = 0
    const failing = scripted(() => {
      if (index++ === 0) throw new Error('down')
      return whole('Hi.')
    })
    const { post, ends } = serving([failing.target, { ...fine(), model: 'other' }])
    await post({})
    const [first, second] = ends()[0]!.attempts
    expect(first!.startMs).toBeGreaterThanOrEqual(0)
    expect(second!.startMs).toBeGreaterThanOrEqual(first!.startMs + first!.ms)
    expect(second!.startMs + second!.ms).toBeLessThanOrEqual(ends()[0]!.timings.total)
  })
})
