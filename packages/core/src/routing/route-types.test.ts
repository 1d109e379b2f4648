import { describe, expect, expectTypeOf, it } from 'vitest'
import { a, b, vendor } from '../../test/support/scripted-places.ts'
import type { Route } from '../contracts/route.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { ManagedGateway } from '../gateway/managed-gateway.ts'
import type { CombinedRoute, ModelEntry } from './combined-route.ts'
import { hasMedia, when } from './conditions.ts'
import { fallback } from './fallback.ts'
import { hedge } from './hedge.ts'
import { leastBusy } from './least-busy.ts'
import { mirror } from './mirror.ts'
import { type ModelTable, models } from './models.ts'
import { split } from './split.ts'
import { sticky } from './sticky.ts'
import { weighted } from './weighted.ts'
import { withParameters } from './with-parameters.ts'

const authenticate = () => ({ id: 'ann' })
const own: Route = () => [a]

describe('names in types', () => {
  it('are those that entries refer to', () => {
    expectTypeOf(fallback('big', a, ['small', own])).toEqualTypeOf<CombinedRoute<'big' | 'small'>>()
    expectTypeOf(fallback('big', a, { on: [429] })).toEqualTypeOf<CombinedRoute<'big'>>()
    expectTypeOf(fallback(a, own)).toEqualTypeOf<CombinedRoute<never>>()
    expectTypeOf(weighted(['big', 3], [a, 1])).toEqualTypeOf<CombinedRoute<'big'>>()
    expectTypeOf(leastBusy(fallback('big'), 'small')).toEqualTypeOf<CombinedRoute<'big' | 'small'>>()
    expectTypeOf(sticky('key', ['big', 2], 'small', [a, b])).toEqualTypeOf<CombinedRoute<'big' | 'small'>>()
    expectTypeOf(split({ big: 0.9, trial: ['small', 0.1] })).toEqualTypeOf<CombinedRoute<'big' | 'small'>>()
    expectTypeOf(when(hasMedia('image'), 'big', a)).toEqualTypeOf<CombinedRoute<'big'>>()
    expectTypeOf(mirror('big', 'small')).toEqualTypeOf<CombinedRoute<'big' | 'small'>>()
    expectTypeOf(hedge('big', a, { afterMs: 1 })).toEqualTypeOf<CombinedRoute<'big'>>()
    expectTypeOf(withParameters(['big'], {})).toEqualTypeOf<CombinedRoute<'big'>>()
  })

  it('have to stand in the table', () => {
    expectTypeOf(models({ big: a, small: b, smart: fallback('big', 'small') })).toEqualTypeOf<
      ModelTable<'big' | 'small' | 'smart'>
    >()
    const unknown = [
      // @ts-expect-error: no entry is called so
      () => models({ big: a, smart: fallback('big', 'smal') }),
      // @ts-expect-error: no entry is called so
      () => models({ big: a, smart: 'smal' }),
      // @ts-expect-error: no entry is called so
      () => models({ big: a, smart: [a, 'smal'] }),
      // @ts-expect-error: no entry is called so
      () => models({ big: a, smart: weighted([leastBusy('big', 'smal'), 1], [a, 1]) }),
      // @ts-expect-error: no entry is called so
      () => models({ big: a, smart: split({ big: 0.9, smal: 0.1 }) }),
      // @ts-expect-error: names stand in a table
      () => createGateway({ authenticate, route: fallback('big', a) }),
      // @ts-expect-error: a name that fits no pattern
      () => models({ 'acme/*': vendor, smart: fallback('other/x') }),
      // @ts-expect-error: a vendor is no entry of one name
      () => models({ smart: vendor }),
    ]
    for (const make of unknown) expect(make).toThrow(TypeError)
  })

  it('may be of a table that is made while it runs', () => {
    const entries: Record<string, ModelEntry> = { big: a, smart: fallback('big') }
    expectTypeOf(models(entries)).toEqualTypeOf<ModelTable>()
    expectTypeOf(models({ [String('big')]: a, [String('other/*')]: vendor })).toEqualTypeOf<ModelTable>()
  })

  it('fit patterns, which are not listed', () => {
    const table = models({
      'acme/*': vendor,
      'old/*': (name: string) => (name === 'x' ? 'big' : undefined),
      big: a,
    })
    expectTypeOf(table).toEqualTypeOf<ModelTable<'big'>>()
    models({ 'acme/*': vendor, smart: fallback('acme/one', a) })
    models({ 'x/*': name => vendor(name.toUpperCase()), big: ({ bytes }) => (bytes > 1 ? [a] : [b]) })
  })

  it('are those of the gateway', async () => {
    const gateway = createGateway({
      authenticate,
      route: models({ big: a, smart: ['big', b], 'x/*': vendor }),
    })
    expectTypeOf(gateway).toEqualTypeOf<ManagedGateway<unknown, 'big' | 'smart'>>()
    expectTypeOf(gateway.models).toEqualTypeOf<readonly ('big' | 'smart')[]>()
    expect(gateway.models).toEqual(['big', 'smart'])
    expectTypeOf(createGateway({ authenticate, route: own }).models).toEqualTypeOf<readonly string[]>()
    const hosted = createGateway({
      authenticate: (_, host: { user: string } | undefined) => (host ? { id: host.user } : undefined),
      route: models({ big: a }),
    })
    expectTypeOf(hosted).toEqualTypeOf<ManagedGateway<{ user: string }, 'big'>>()
    const any: ManagedGateway = gateway
    await any.close()
    await hosted.close()
  })
})

it('refuses a route that names entries of no table', () => {
  const make = () => createGateway({ authenticate, route: fallback('big', a) as unknown as Route })
  expect(make).toThrow(/route: got a function, expected a route that has no names .* and it has 'big'/)
  expect(() => createGateway({ authenticate, route: vendor as unknown as Route })).toThrow(
    /rather than a provider/,
  )
})
