import { describe, expect, it } from 'vitest'
import type { Target } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { hedge } from '../../src/routing/hedge.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { models } from '../../src/routing/models.ts'
import { weighted } from '../../src/routing/weighted.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

/** Targets of one provider each, which record the names of those that are called. */
function recorded() {
  const called: string[] = []
  const target = (name: string, fails = false): Target => ({
    provider: scripted(
      () => {
        called.push(name)
        if (fails) throw new UpstreamError('It failed.', { kind: 'refused', status: 500 })
        return whole(name)
      },
      { name },
    ).target.provider,
    model: 'm',
  })
  return { called, target }
}

function caller(route: GatewayOptions['route'], more: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route, ...more })
  return async (provider: string, model = 'm', headers: Record<string, string> = {}) => {
    const response = await gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
      }),
      { onlyTarget: { provider, model: 'm' } },
    )
    return response.status
  }
}

describe('onlyTarget', () => {
  it('calls that target alone, whatever the route would choose', async () => {
    const { called, target } = recorded()
    const route = models({
      m: fallback(target('a'), target('b')),
      w: weighted([target('c'), 1], [target('d'), 1_000_000]),
      h: hedge(target('e'), target('f'), { afterMs: 1 }),
      s: mirror(target('g'), target('h')),
    })
    const call = caller(route)
    expect(await call('b')).toBe(200)
    expect(await call('c', 'w')).toBe(200)
    expect(await call('e', 'h')).toBe(200)
    expect(await call('g', 's')).toBe(200)
    expect(await call('h', 's')).toBe(200)
    expect(called).toEqual(['b', 'c', 'e', 'g', 'h'])
  })

  it('calls it once where it fails, and no other', async () => {
    const { called, target } = recorded()
    const call = caller(models({ m: fallback(target('a', true), target('b')) }), { maxAttempts: 3 })
    expect(await call('a')).toBe(502)
    expect(called).toEqual(['a'])
  })

  it('knows no target of another model', async () => {
    const { called, target } = recorded()
    const call = caller(models({ m: target('a'), n: target('b') }))
    expect(await call('b')).toBe(404)
    expect(await call('missing')).toBe(404)
    expect(called).toEqual([])
  })

  it('needs the permission for each name on the way to it', async () => {
    const { called, target } = recorded()
    const route = models({
      small: target('a'),
      large: target('b'),
      smart: weighted(['small', 1_000_000], ['large', 1]),
    })
    const authenticate = () => ({ id: 'ann', models: ['smart', 'small'] })
    const call = caller(route, { authenticate })
    expect(await call('b', 'smart')).toBe(403)
    expect(await call('b', 'large')).toBe(403)
    expect(called).toEqual([])
  })

  it('is not read from a request', async () => {
    const { called, target } = recorded()
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ m: [target('a'), target('b')] }),
    })
    await gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions?onlyTarget=b', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'only-target': 'b' },
        body: JSON.stringify({
          model: 'm',
          onlyTarget: { provider: 'b', model: 'm' },
          messages: [{ role: 'user', content: 'hi' }],
        }),
      }),
    )
    expect(called).toEqual(['a'])
  })
})

describe('the prices of targets', () => {
  it('are those of a million tokens, or null where there is none', () => {
    const { target } = recorded()
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ m: target('a'), n: target('b') }),
      prices: priceTable({ m: { input: 0.15, output: 0.6 } }),
    })
    const prices = gateway.targets().map(({ targets }) => targets[0]!.price)
    expect(prices).toEqual([{ input: 0.15, output: 0.6 }, null])
  })
})
