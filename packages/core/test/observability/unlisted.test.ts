import { describe, expect, it } from 'vitest'
import type { GatewayEvent } from '../../src/contracts/events.ts'
import type { UpstreamCall } from '../../src/contracts/tracer.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, serving, turn, whole } from '../support/scripted-gateway.ts'

/** A provider that makes a target of any name. */
function maker(answer: Parameters<typeof scripted>[0] = () => whole('Hi.')) {
  const { target } = scripted(answer)
  return { target, of: (model: string) => ({ ...target, model }) }
}

type Named = readonly [model: string, isUnlisted: boolean]

/** What the events of a type tell of their models. */
function told(events: readonly GatewayEvent[], type: 'begin' | 'end' | 'discarded_call' | 'target'): Named[] {
  return events.flatMap(event =>
    event.type === type ? [[(event as { model: string }).model, 'unlisted' in event] as const] : [],
  )
}

describe('names that the route does not list', () => {
  it('are marked in the events of requests and in their attempts', async () => {
    const { target, of } = maker()
    const route = models({ m: target, 'any/*': of, 'fixed/*': target, 'named/*': () => 'm' })
    const { post, events, ends } = serving(target, { route })
    for (const model of ['m', 'any/x', 'fixed/x', 'named/x', 'none']) await post({ model })
    const expected = [
      ['m', false],
      ['any/x', true],
      ['fixed/x', true],
      ['named/x', true],
    ]
    expect(told(events, 'begin')).toEqual(expected)
    expect(told(events, 'end')).toEqual([...expected, [undefined, false]])
    const attempts = ends().flatMap(({ attempts }) => attempts)
    expect(attempts.map(attempt => [attempt.model, attempt.unlisted === true])).toEqual([
      [target.model, false],
      ['x', true],
      [target.model, false],
      [target.model, false],
    ])
  })

  it('are marked in events of targets, in discarded calls, and for a tracer', async () => {
    const calls: UpstreamCall[] = []
    const { target, of } = maker(() =>
      Promise.reject(new UpstreamError('No.', { kind: 'refused', status: 503 })),
    )
    const shadow = maker()
    const { post, events } = serving(target, {
      route: models({ m: target, 'any/*': of, 'mirrored/*': name => mirror(of(name), shadow.of(name)) }),
      breaker: { failures: 1 },
      tracer: { start: () => ({ attempt: call => void calls.push(call), end: () => {} }) },
    })
    await post({})
    await post({ model: 'any/x' })
    await post({ model: 'mirrored/y' })
    await turn()
    expect(told(events, 'target')).toEqual([
      [target.model, false],
      ['x', true],
      ['y', true],
    ])
    expect(told(events, 'discarded_call')).toEqual([['mirrored/y', true]])
    expect(events.find(({ type }) => type === 'discarded_call')).toMatchObject({
      attempt: { unlisted: true },
    })
    expect(calls.map(({ model, unlisted }) => [model, unlisted])).toEqual([
      [target.model, undefined],
      ['x', true],
      ['y', true],
      ['y', true],
    ])
  })

  it('are those of the options that a request began with', async () => {
    const { target, of } = maker()
    const { post, events, gateway, given } = serving(target, { route: models({ 'any/*': of }) })
    await post({ model: 'any/x' })
    gateway.reload({ ...given, route: models({ 'any/*': of, 'any/x': of('x') }) })
    await post({ model: 'any/x' })
    expect(told(events, 'end')).toEqual([
      ['any/x', true],
      ['any/x', false],
    ])
  })

  it('are all of a route without lists', async () => {
    const { target } = maker()
    const { post, ends } = serving(target, { route: () => [target] })
    await post({})
    expect(ends()).toMatchObject([{ unlisted: true, attempts: [{ unlisted: true }] }])
  })
})
