import { createGateway, fallback, models as table } from '@sluice/core'
import { local } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { recheckConfig } from '../check-config.ts'
import { compileConfig } from '../compile-config.ts'
import type { RouteConfig, TypedConfig } from '../config.ts'
import { VendorPool } from '../providers/vendor-pool.ts'

const base = {
  providers: { north: { type: 'local' }, south: { type: 'local' } },
  keys: [{ id: 'ann', key: 'sk' }],
}

function routeOf(models: TypedConfig['models']) {
  const { config, issues } = recheckConfig({ ...base, models })
  return compileConfig(config, issues, new VendorPool()).route
}

/** The places that a request for `demo` would be asked at, in their order. */
async function places(
  demo: RouteConfig,
  body: object = {},
  others: TypedConfig['models'] = {},
  model = 'demo',
) {
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann', tags: { team: 'search' } }),
    route: routeOf({ demo, ...others }),
    prices: (_, { provider }) => (provider === 'south' ? 1 : 2),
  })
  const { candidates, refusal } = await gateway.explain(
    new Request('http://sluice/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...body }),
    }),
    { seed: 1 },
  )
  await gateway.close()
  if (refusal !== undefined) throw refusal
  const asked = candidates.filter(({ skipped }) => skipped === undefined)
  return asked.map(({ provider, model }) => `${provider}/${model}`)
}

describe('a route of data', () => {
  it.each<[string, RouteConfig, readonly string[]]>([
    ['a place', 'north/a/b', ['north/a/b']],
    ['a list', ['north/a', ['south/b']], ['north/a', 'south/b']],
    [
      'fallback',
      { fallback: ['north/a', 'south/b'], on: [429, '5xx', 'timeout', { code: 'x' }] },
      ['north/a', 'south/b'],
    ],
    ['cheapest', { cheapest: ['north/a', 'south/b'], outputTokens: 10 }, ['south/b', 'north/a']],
    [
      'byContextLength',
      {
        byContextLength: [
          { to: 'north/a', capabilities: { contextTokens: 9_000 } },
          { to: 'south/b', capabilities: { contextTokens: 5_000 } },
        ],
      },
      ['south/b', 'north/a'],
    ],
    [
      'weighted',
      {
        weighted: [
          { to: 'north/a', weight: 0 },
          { to: 'south/b', weight: 1 },
        ],
      },
      ['south/b', 'north/a'],
    ],
    ['hedge', { hedge: ['north/a', 'south/b'], afterMs: 5 }, ['north/a', 'south/b']],
    ['mirror', { mirror: 'north/a', shadow: 'south/b', share: 0.5 }, ['north/a']],
    [
      'when',
      {
        when: { tag: { team: 'search' }, noneOf: [{ hasTools: true }] },
        use: 'north/a',
        otherwise: 'south/b',
      },
      ['north/a'],
    ],
    [
      'when, and it does not hold',
      {
        when: { anyOf: [{ promptLongerThan: 900 }, { bodyLargerThan: 9_000 }, { hasMedia: true }] },
        use: 'north/a',
        otherwise: 'south/b',
      },
      ['south/b'],
    ],
    [
      'when, by the name',
      { when: { modelMatches: ['de*'] }, use: 'north/a', otherwise: 'south/b' },
      ['north/a'],
    ],
    ['to', { to: 'north/a', parameters: { temperature: 0 } }, ['north/a']],
    ['a name', 'other', ['south/z']],
    ['code', fallback(local()('own'), 'other'), ['local/own', 'south/z']],
  ])('%s', async (_, route, expected) => {
    expect(await places(route, {}, { other: 'south/z' })).toEqual(expected)
  })

  it('has the embedding spaces of its targets', async () => {
    const spaces = (...names: (string | undefined)[]): RouteConfig =>
      names.map((embeddingSpace, index) => ({
        to: index === 0 ? 'north/a' : 'south/b',
        ...(embeddingSpace !== undefined && { embeddingSpace }),
      }))
    const embedding = async (route: RouteConfig) => {
      const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route: routeOf({ demo: route }) })
      const request = new Request('http://sluice/v1/embeddings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', input: 'Hello' }),
      })
      const { candidates } = await gateway.explain(request)
      await gateway.close()
      return candidates.filter(({ skipped }) => skipped === undefined).map(({ model }) => model)
    }
    expect(await embedding(spaces('small', 'small'))).toEqual(['a', 'b'])
    expect(await embedding(spaces('small', 'large'))).toEqual(['a'])
    expect(await embedding(spaces(undefined, undefined))).toEqual(['a'])
    expect(() => routeOf({ demo: { to: 'other', embeddingSpace: 'small' }, other: 'south/z' })).toThrow(
      /embeddingSpace/,
    )
  })

  it.each<[string, RouteConfig]>([
    ['sticky', { sticky: ['north/a', { to: 'south/b', weight: 2 }], by: 'tag:team' }],
    ['fastest', { fastest: ['north/a', 'south/b'] }],
    ['leastBusy', { leastBusy: ['north/a', 'south/b'] }],
    ['roundRobin', { roundRobin: ['north/a', 'south/b'] }],
  ])('%s asks all of them, in some order', async (_, route) => {
    expect((await places(route)).sort()).toEqual(['north/a', 'south/b'])
  })

  it('calls a target with options of its own, whose limits hold for every name of a pattern', async () => {
    const route: RouteConfig = [
      { to: 'north/a', retry: false, limits: [{ kind: 'requests', limit: 1, per: 'hour' }] },
      'south/b',
    ]
    const answered: (string | undefined)[] = []
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: routeOf({ 'any/*': route }),
      observe: event => event.type === 'end' && answered.push(event.attempts.at(-1)?.provider),
    })
    for (const model of ['any/x', 'any/y']) {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] })
      const headers = { 'content-type': 'application/json' }
      await gateway.fetch(new Request('http://a/v1/chat/completions', { method: 'POST', headers, body }))
    }
    await gateway.close()
    expect(answered).toEqual(['north', 'south'])
    expect(() =>
      routeOf({ demo: { to: 'north/a', limits: [{ kind: 'requests', limit: 0, per: 'hour' }] } }),
    ).toThrow(/limits/)
    expect(() => routeOf({ demo: { to: 'north/a', timeouts: { firstByteMs: -1 } } })).toThrow(/timeouts/)
  })

  it('split asks one of its arms', async () => {
    const route: RouteConfig = {
      split: { a: { to: 'north/a', share: 0.5 }, b: { to: 'other', share: 0.5 } },
      by: 'key',
    }
    expect(await places(route, {}, { other: 'south/z' })).toHaveLength(1)
  })

  it('puts what was asked for in the place of a star, wherever it stands', async () => {
    const all = {
      'any/*': ['north/*', { to: 'south/pre-*' }],
      'old/*': 'any/*',
      'fixed/*': 'north/one',
    } as const
    expect(await places('north/a', {}, all, 'any/x/y')).toEqual(['north/x/y', 'south/pre-x/y'])
    expect(await places('north/a', {}, all, 'old/q')).toEqual(['north/q', 'south/pre-q'])
    expect(await places('north/a', {}, all, 'fixed/q')).toEqual(['north/one'])
    expect(await places(['any/z'], {}, all)).toEqual(['north/z', 'south/pre-z'])
    expect(() => routeOf({ demo: 'north/*' })).toThrow("A '*' is replaced by the requested name")
  })

  it('means the place where an entry names what it is called itself', async () => {
    expect(await places('north/a', {}, { 'north/x': ['north/x', 'south/x'] }, 'north/x')).toEqual([
      'north/x',
      'south/x',
    ])
    expect(await places(['north/x'], {}, { 'north/x': 'south/other' })).toEqual(['south/other'])
  })

  it('tells of code that cannot be an entry', () => {
    const faulty = {
      a: local() as never,
      b: table({ x: local()('x') }),
      c: { provider: { name: 'x', encode: 1 }, model: 'x' } as never,
    }
    expect(() => routeOf(faulty)).toThrow(
      /has 2 errors:\n- models\.a: got a function, expected a target rather than a provider.*\n- models\.c: got an object, expected a target/,
    )
  })
})
