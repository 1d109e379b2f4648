import {
  budget,
  concurrent,
  createGateway,
  type EndEvent,
  type GatewayOptions,
  type LimitStore,
  limits,
  models,
  requests,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { local } from '@sluice/providers'
import { redisLimitStore } from '@sluice/redis'
import { afterEach, describe, expect, it } from 'vitest'
import { impatientClients } from './impatient-clients.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, until } from './servers/redis-server.ts'

const acme = local()
const table = models({
  exact: acme('exact'),
  other: acme('exact'),
  'acme/*': acme,
  'fixed/*': [acme('one'), acme('two')],
  'made/*': name => (name === 'none' ? undefined : acme(name)),
  'named/*': () => 'exact',
})

function site(options: Partial<GatewayOptions>) {
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate: request => {
      const [id = '', team] = (request.headers.get('authorization') ?? '').slice('Bearer '.length).split('/')
      return { id, ...(team !== undefined && { tags: { team } }) }
    },
    route: table,
    prices: () => 0.4,
    observe: event => {
      if (event.type === 'end') ends.push(event)
    },
    ...options,
  })
  const ask = async (caller: string, model: string) => {
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    const { error } = (await response.json()) as { error?: { code: string } }
    return error?.code ?? response.status
  }
  /** How many of these requests, one after the other, are let in. */
  const letIn = async (caller: string, names: readonly string[]) => {
    let count = 0
    for (const name of names) if ((await ask(caller, name)) === 200) count++
    return count
  }
  return { ask, letIn, ends }
}

const invented = (pattern: string, of = 22) =>
  Array.from({ length: of }, (_, at) => pattern.replace('*', `name-${at}`))

function attacks(storeOf: () => Promise<LimitStore>): void {
  it.each(['acme/*', 'fixed/*', 'made/*', 'named/*'])(
    'that fit %s are one model for a limit by model, whoever invents them',
    async pattern => {
      const { letIn } = site({
        limits: limits([requests(3).per('day').by('model')], { store: await storeOf() }),
      })
      expect(await letIn('ann', invented(pattern))).toBe(3)
      expect(await letIn('mallory', invented(pattern))).toBe(0)
      expect(await letIn('ann', ['exact', 'exact'])).toBe(2)
    },
  )

  it('are one model for each caller where a limit counts by both', async () => {
    const rules = [
      requests(3).per('day').by('key', 'model'),
      budget(1, 'usd').per('month').by('key', 'model'),
    ]
    const { letIn } = site({ limits: limits(rules, { store: await storeOf() }) })
    for (const caller of ['mallory', 'ann']) {
      // Of money there is less: 40 cents each.
      expect(await letIn(caller, invented('acme/*'))).toBe(2)
      expect(await letIn(caller, ['exact', 'exact', 'exact', 'other'])).toBe(3)
    }
  })

  it('change nothing behind a route that asks a table', async () => {
    const limit = limits([requests(3).per('day').by('model')], { store: await storeOf() })
    const { letIn } = site({ limits: limit, route: async (draft, context) => table(draft, context) })
    expect(await letIn('mallory', invented('acme/*'))).toBe(3)
  })

  it('are one target for a route of its own that does not name its entries', async () => {
    const limit = limits([requests(3).per('day').by('model')], { store: await storeOf() })
    const { letIn } = site({ limits: limit, route: () => [acme('one')] })
    expect(await letIn('mallory', invented('*'))).toBe(3)
  })

  it('are what a route of its own names them', async () => {
    const limit = limits([requests(3).per('day').by('model')], { store: await storeOf() })
    const { letIn } = site({
      limits: limit,
      route: ({ model }, { match }) => {
        match(model.startsWith('name-') ? 'name-*' : 'others')
        return [acme(model)]
      },
    })
    expect(await letIn('mallory', invented('*'))).toBe(3)
    expect(await letIn('mallory', ['a', 'b', 'c', 'd'])).toBe(3)
  })
}

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

describe('names of models that callers invent, counted in memory', () => {
  attacks(async () => memoryLimitStore())
})

describeWithRedis('names of models that callers invent, counted in Redis', () => {
  attacks(async () => {
    const server = await RedisServer.start()
    open.push({ close: () => server.stop() })
    const impatient = impatientClients.ioredis(server)
    open.push(impatient)
    const store = redisLimitStore(impatient.client)
    const claim = { id: 'f'.repeat(32), ttlMs: 1_000, counters: [] }
    await until(async () =>
      Promise.resolve(store.admit(claim)).then(
        () => true,
        () => false,
      ),
    )
    return store
  })
})

describe('a caller who fills the memory with counts', () => {
  const rules = [budget(1, 'usd').per('month'), requests(50).per('day').by('tag:team'), concurrent(9)]

  it('gives nobody back what was spent: those who need a new count are refused', async () => {
    const limit = limits(rules, { store: memoryLimitStore({ maxKeys: 30 }) })
    const { ask, letIn, ends } = site({ limits: limit })
    expect(await letIn('ann/search', ['exact', 'exact', 'exact'])).toBe(2)
    expect(await ask('bob/search', 'exact')).toBe(200)
    // Of the three counts two are kept for each of these: that of requests at once is given back.
    const crowd = Array.from({ length: 60 }, (_, at) => `mallory-${at}/team-${at}`)
    const answers: unknown[] = []
    for (const caller of crowd) answers.push(await ask(caller, 'exact'))
    expect(new Set(answers)).toEqual(new Set([200, 'limit_store_full']))
    expect(answers.at(-1)).toBe('limit_store_full')
    expect(ends.at(-1)).toMatchObject({
      outcome: 'refused',
      error: { reason: 'limit_store_full', cause: { message: expect.stringMatching(/Raise maxKeys/) } },
    })
    expect(await ask('ann/search', 'exact')).toBe('insufficient_quota')
    expect(await ask('bob/search', 'exact')).toBe(200)
    expect(await ask('bob/search', 'exact')).toBe('insufficient_quota')
  })
})
