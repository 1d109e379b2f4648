import { describe, expect, it } from 'vitest'
import type { Target } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { when } from '../../src/routing/conditions.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { weighted } from '../../src/routing/weighted.ts'
import { forever, scripted, serving, whole } from '../support/scripted-gateway.ts'

const { provider } = scripted(() => whole('hi')).target
const target = (model: string): Target => ({ provider, model })

function gatewayOf(route: GatewayOptions['route']) {
  return createGateway({ authenticate: () => ({ id: 'ann' }), route })
}

function named(gateway: ReturnType<typeof gatewayOf>) {
  return gateway.targets().map(({ model, targets }) => [model, ...targets.map(each => each.model)])
}

describe('the targets of a gateway', () => {
  it('are those of each model, in the order of the table, each once', () => {
    const route = models({
      small: target('s'),
      big: [target('b'), target('c')],
      smart: fallback('big', weighted(['small', 1], [target('d'), 3]), target('c')),
      either: when(() => true, target('e'), target('f')),
      '*': () => target('any'),
    })
    expect(named(gatewayOf(route))).toEqual([
      ['small', 's'],
      ['big', 'b', 'c'],
      ['smart', 'b', 'c', 's', 'd'],
      ['either', 'e', 'f'],
    ])
  })

  it('are also those that are sent copies', () => {
    expect(named(gatewayOf(models({ m: mirror(target('a'), target('shadow')) })))).toEqual([
      ['m', 'a', 'shadow'],
    ])
  })

  it('are none for a function that does not say them, and for a route that lists no models', () => {
    const route = models({ own: () => [target('a')] })
    expect(named(gatewayOf(route))).toEqual([['own']])
    expect(gatewayOf(() => [target('a')]).targets()).toEqual([])
    const listed = Object.assign(() => [target('a')], {
      list: () => [{ id: 'm', created: 0, owned_by: 'x' }],
    })
    expect(named(gatewayOf(listed))).toEqual([['m']])
  })

  it('tell how they do, as the gateway sees it', async () => {
    const upstream = scripted((signal, index) => {
      if (index > 4) return forever(signal)
      throw new UpstreamError('It failed.', { kind: 'refused', status: 500 })
    })
    const { gateway, post } = serving(upstream.target, { breaker: {} })
    const health = () => gateway.targets()[0]!.targets[0]!
    expect(health()).toMatchObject({
      provider: 'scripted',
      model: 'upstream-model',
      health: { state: 'closed', active: 0, waitMs: 0 },
    })
    for (let index = 0; index < 5; index++) await post({})
    expect(health().health.state).toBe('open')
    expect(health().health.waitMs).toBeGreaterThan(0)
  })

  it('count the calls that are being answered', async () => {
    const upstream = scripted(forever)
    const { gateway, post } = serving(upstream.target)
    const leaving = new AbortController()
    const answer = post({}, { signal: leaving.signal })
    await expect.poll(() => upstream.signals.length).toBe(1)
    const active = () => gateway.targets()[0]!.targets[0]!.health.active
    expect(active()).toBe(1)
    leaving.abort()
    await answer
    await expect.poll(active).toBe(0)
  })

  it('are those of the other options after a reload', () => {
    const options = { authenticate: () => ({ id: 'ann' }) }
    const gateway = createGateway({ ...options, route: models({ m: target('a') }) })
    gateway.reload({ ...options, route: models({ n: target('b') }) })
    expect(gateway.targets().map(({ model, targets }) => [model, targets[0]!.model])).toEqual([['n', 'b']])
  })
})
