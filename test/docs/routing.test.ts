import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  createGateway,
  type EndEvent,
  type GatewayEvent,
  type GatewayOptions,
  type ManagedGateway,
  models,
  type Principal,
  priceTable,
  type Route,
} from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { local } from '@sluice/providers'
import type { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultBreaker, defaultRetry } from '../../packages/core/src/upstream/health/health-options.ts'
import { describeWithRedis } from '../stores/servers/describe-with-redis.ts'
import { RedisServer } from '../stores/servers/redis-server.ts'
import { answeringPlaces } from './runner/answering-places.ts'
import { type Check, describePage, type Snippet } from './runner/describe-page.ts'
import { readPage, root, tableUnder } from './runner/markdown.ts'

const page = 'docs/routing.md'

interface Asking {
  readonly key?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly content?: unknown
  readonly [field: string]: unknown
}

function requestOf({ key = 'sk-test', tags, content = 'Hello', ...fields }: Asking = {}): Request {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const messages = [{ role: 'user', content }]
  return new Request('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: tags === undefined ? headers : { ...headers, 'x-tags': JSON.stringify(tags) },
    body: JSON.stringify({ model: 'demo', messages, ...fields }),
  })
}

function callers(request: Request): Principal {
  return { id: bearerToken(request)!, tags: JSON.parse(request.headers.get('x-tags') ?? '{}') }
}

/** A snippet's gateway, or one around its route, and what can be asked of it. */
async function routed(
  snippet: Snippet,
  options: Partial<GatewayOptions> = {},
  edit = (code: string) => code,
  env = {},
) {
  const places = answeringPlaces()
  const running = await snippet.run(env, code => places.edit(edit(code)))
  const events: GatewayEvent[] = []
  const { route, gateway: own } = running.exports as { route: Route; gateway?: ManagedGateway }
  const observe = (event: GatewayEvent) => void events.push(event)
  const gateway = own ?? createGateway({ authenticate: callers, route, observe, ...options })
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  const post = async (asking?: Asking) => {
    const { status, headers, text } = await textOf(await gateway.fetch(requestOf(asking)))
    return { status, headers, text }
  }
  /** Whom it would ask, in order. */
  const order = async (asking?: Asking, seed?: number) => {
    const { candidates } = await gateway.explain(requestOf(asking), seed === undefined ? {} : { seed })
    return candidates.flatMap(({ model, skipped }) => (skipped === undefined ? [model] : []))
  }
  const asked = () => places.asked.map(({ model }) => model)
  return { ...running, ...places, asked, requests: places.asked, gateway, events, post, order }
}

async function textOf(response: Response) {
  const { status, headers } = response
  const body = await response.text()
  if (!body.startsWith('data: ')) {
    const { choices, error } = JSON.parse(body)
    return { status, headers, text: choices?.[0].message.content ?? error.code }
  }
  const deltas = [...body.matchAll(/"content":"(.*?)"/g)].map(([, text]) => text)
  return { status, headers, text: deltas.join('') }
}

const down = { error: { status: 500 } }
const seeds = Array.from({ length: 400 }, (_, seed) => seed)
const words = (count: number) => 'word '.repeat(count)
const tools = [{ type: 'function', function: { name: 'f' } }]

describeWithRedis('with Redis', () => {
  describePage(page, {
    fallback: async snippet => {
      const { post, answers, asked } = await routed(snippet)
      expect(await post()).toMatchObject({ status: 200, text: 'north' })
      answers.set('north', down)
      expect(await post()).toMatchObject({ status: 200, text: 'south' })
      expect(await post({ stream: true })).toMatchObject({ status: 200, text: 'south' })
      expect(asked()).toEqual(['north', 'north', 'south', 'north', 'south'])
    },

    weighted: async snippet => {
      const { order } = await routed(snippet)
      const orders = await Promise.all(seeds.map(seed => order({}, seed)))
      const north = orders.filter(([first]) => first === 'north').length
      expect(north).toBeGreaterThan(255)
      expect(north).toBeLessThan(345)
      expect(orders.every(([, , last]) => last === 'spare')).toBe(true)
    },

    best: async snippet => {
      const busy = await routed(snippet)
      const waiting: (() => void)[] = []
      const slow = () => new Promise<string>(resolve => waiting.push(() => resolve('late')))
      busy.answers.set('north', slow).set('south', slow)
      const answering: Promise<unknown>[] = []
      for (const count of [1, 2]) {
        answering.push(busy.post({ model: 'even' }))
        await vi.waitFor(() => expect(busy.asked()).toHaveLength(count))
      }
      expect(busy.asked().sort()).toEqual(['north', 'south'])
      for (const resolve of waiting) resolve()
      await Promise.all(answering)

      const prices = priceTable({
        'local/north': { input: 2, output: 8 },
        'local/south': { input: 1, output: 9 },
      })
      const { post, order, answers } = await routed(snippet, { prices })
      answers.set('north', { text: 'late', delayMs: 300 })
      for (const text of ['late', 'south', 'south'])
        expect(await post({ model: 'quick' })).toMatchObject({ text })
      expect(await order({ model: 'thrifty', max_tokens: 1, content: words(500) })).toEqual([
        'south',
        'north',
      ])
      expect(await order({ model: 'thrifty', max_tokens: 900 })).toEqual(['north', 'south'])
    },

    sticky: async snippet => {
      const [one, other] = [await routed(snippet), await routed(snippet)]
      const firsts = new Set<string | undefined>()
      for (let user = 0; user < 40; user++) {
        const asking = { prompt_cache_key: `conversation-${user}` }
        const order = await one.order(asking)
        expect(await other.order({ ...asking, key: 'sk-other' })).toEqual(order)
        expect(order).toHaveLength(2)
        firsts.add(order[0])
      }
      expect(firsts.size).toBe(2)
    },

    when: async snippet => {
      const { order } = await routed(snippet)
      const image = [{ type: 'image_url', image_url: { url: 'https://images.example/a.png' } }]
      expect(await order({ content: image })).toEqual(['eyes'])
      expect(await order({ tools, tags: { team: 'search' } })).toEqual(['large'])
      for (const asking of [{ tools }, { tags: { team: 'search' } }, { tools, tags: { team: 'docs' } }])
        expect(await order(asking)).toEqual(['small'])
      const long = 'x'.repeat(100_000)
      expect(await order({ model: 'live', content: long })).toEqual(['large'])
      expect(await order({ model: 'live', content: long, stream: true })).toEqual(['small'])
      expect(await order({ model: 'live' })).toEqual(['small'])
    },

    context: async snippet => {
      const { order, post } = await routed(snippet)
      expect(await order()).toEqual(['short', 'long'])
      expect(await order({ content: words(12_000) })).toEqual(['long'])
      expect(await order({ model: 'plain' })).toEqual(['short', 'long'])
      expect(await post({ model: 'plain', content: 'x'.repeat(40_000) })).toMatchObject({ text: 'long' })
      expect(await order({ model: 'plain', content: words(12_000) })).toEqual(['long'])
      expect(await order({ model: 'plain', max_tokens: 5_000 })).toEqual(['long'])
      expect(await order({ model: 'plain', tools })).toEqual(['short'])
      expect(await post({ model: 'plain', tools, max_tokens: 5_000 })).toMatchObject({ status: 400 })
    },

    split: async snippet => {
      const { order, post, answers, asked } = await routed(snippet, { retry: false })
      const arms = new Map<string, string | undefined>()
      for (let caller = 0; caller < 300; caller++) {
        const key = `caller-${caller}`
        const [arm, ...others] = await order({ key })
        expect(others).toEqual([])
        expect(await order({ key })).toEqual([arm])
        arms.set(key, arm)
      }
      const tried = [...arms].filter(([, arm]) => arm === 'candidate')
      expect(tried.length).toBeGreaterThan(4)
      expect(tried.length).toBeLessThan(56)
      answers.set('candidate', down)
      expect(await post({ key: tried[0]![0] })).toMatchObject({ status: 502 })
      expect(asked()).toEqual(['candidate'])
    },

    mirror: async snippet => {
      const { post, printed, asked, gateway } = await routed(snippet)
      for (let count = 0; count < 40; count++) expect(await post()).toMatchObject({ text: 'north' })
      // It waits for shadows.
      await gateway.close()
      expect(printed).toHaveLength(asked().filter(model => model === 'candidate').length)
      expect(printed.length).toBeGreaterThan(4)
      expect(printed.length).toBeLessThan(36)
      for (const line of printed) expect(line).toMatch(/^shadow candidate [\d.]+ \d+ $/)
    },

    hedge: async snippet => {
      const { post, answers, asked, events } = await routed(snippet, {}, code => code.replace('1_500', '20'))
      answers.set('north', { hang: 'before-headers' })
      expect(await post()).toMatchObject({ status: 200, text: 'south' })
      expect(asked()).toEqual(['north', 'south'])
      await vi.waitFor(() => expect(events).toHaveLength(3))
      expect(events.find(({ type }) => type === 'discarded_call')).toMatchObject({
        attempt: { model: 'north', called: true },
        usageEstimated: true,
      })
      const patient = await routed(snippet)
      expect(await patient.post()).toMatchObject({ text: 'north' })
      expect(patient.asked()).toEqual(['north'])
    },

    parameters: async snippet => {
      const { post, answers, requests } = await routed(snippet)
      answers.set('north', down)
      const given = { temperature: 1, seed: 7, max_completion_tokens: 9_000 }
      const { headers, text } = await post(given)
      expect([text, requests[0], requests[1]]).toMatchObject([
        'south',
        given,
        { temperature: 0, max_completion_tokens: 500 },
      ])
      expect(requests[1]).not.toHaveProperty('seed')
      expect(headers.get('x-sluice-adjustments')).toContain('"temperature";action=mapped;detail="0"')
    },

    'target-options': async snippet => {
      const { post, answers, asked } = await routed(snippet)
      answers.set('north', down)
      expect(await post()).toMatchObject({ text: 'south' })
      expect(asked()).toEqual(['north', 'south'])
      const limited = await routed(snippet, {}, code => code.replace('requests(500)', 'requests(1)'))
      expect([(await limited.post()).text, (await limited.post()).text]).toEqual(['north', 'south'])
      expect(limited.asked()).toEqual(['north', 'south'])
    },

    names: async snippet => {
      const { post, exports, gateway } = await routed(snippet)
      expect(exports.served).toEqual(gateway.models)
      expect(await post({ model: 'smart' })).toMatchObject({ text: 'small' })
      expect(await post({ model: 'big' })).toMatchObject({ status: 403 })
      expect(exports.misspelt).toThrow(/smart: got 'smal', expected one of .*Did you mean 'small'/)
    },

    wildcards: async snippet => {
      const { post, gateway } = await routed(snippet)
      for (const [model, asked] of [
        ['acme/small', 'small'],
        ['acme/tiny', 'tiny'],
        ['old/v1-large', 'small'],
      ]) {
        expect(await post({ model })).toMatchObject({ status: 200, text: asked })
      }
      for (const model of ['old/v2-large', 'acme/../x', 'acme/', 'else/small'])
        expect(await post({ model })).toMatchObject({ status: 404 })
      expect(gateway.models).toEqual(['acme/tiny'])
    },

    own: async snippet => {
      const { post, answers, order } = await routed(snippet, { retry: false })
      const tags = { region: 'eu' }
      expect(await order()).toEqual(['virginia', 'frankfurt'])
      expect(await order({ tags, model: 'smart' })).toEqual(['frankfurt'])
      answers.set('frankfurt', down).set('virginia', down)
      expect(await post({ tags })).toMatchObject({ status: 502 })
      answers.delete('frankfurt')
      expect(await post()).toMatchObject({ text: 'frankfurt' })
    },

    again: async snippet => {
      const { post, answers, asked } = await routed(snippet)
      let calls = 0
      answers
        .set('south', down)
        .set('north', () => (calls++ === 0 ? { error: { status: 503, retryAfter: 0 } } : 'north'))
      expect(await post()).toMatchObject({ status: 200, text: 'north' })
      expect(asked()).toEqual(['north', 'south', 'north'])

      const failing = await routed(snippet)
      failing.answers.set('north', down).set('south', down)
      const { status, headers } = await failing.post()
      expect([status, headers.get('x-should-retry'), failing.asked().length]).toEqual([502, 'false', 4])

      const late = await routed(snippet)
      late.answers
        .set('north', { error: { status: 503, retryAfter: 11 } })
        .set('south', { error: { status: 404 } })
      expect(await late.post()).toMatchObject({ status: 404 })
      expect(late.asked()).toEqual(['north', 'south'])

      const picky = await routed(snippet)
      picky.answers.set('north', { error: { status: 404 } })
      expect(await picky.post({ model: 'picky' })).toMatchObject({ status: 404 })
      picky.answers.set('north', down)
      expect(await picky.post({ model: 'picky' })).toMatchObject({ text: 'south' })
    },

    breaker: async snippet => {
      const { post, answers, asked, printed } = await routed(snippet)
      answers.set('north', down)
      for (let count = 0; count < 3; count++) expect(await post()).toMatchObject({ status: 502 })
      const refused = await post()
      expect(refused).toMatchObject({ status: 503, text: 'server_is_overloaded' })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(6)
      expect(asked()).toHaveLength(3)
      expect(printed).toEqual([expect.stringMatching(/^local north open \d+/)])
    },

    redis: async snippet => {
      const server = await RedisServer.start()
      try {
        const one = await routed(snippet, {}, code => code, { REDIS_URL: server.url })
        const other = await routed(snippet, {}, code => code, { REDIS_URL: server.url })
        const clients = [one, other].map(({ exports }) => exports.redis as Redis)
        for (const client of clients) if (client.status !== 'ready') await once(client, 'ready')
        other.answers.set('north', down)
        for (let count = 0; count < 5; count++) expect(await one.post()).toMatchObject({ text: 'south' })
        await vi.waitFor(async () => expect(await other.order()).toEqual(['south']), {
          timeout: 10_000,
          interval: 100,
        })
        for (const client of clients) client.removeAllListeners('error').on('error', () => {})
        for (const client of clients) client.disconnect()
      } finally {
        await server.stop()
      }
    },

    why: async snippet => {
      const { post, order, printed } = await routed(snippet)
      expect(printed).toHaveLength(3)
      expect(printed.slice(0, 2).sort()).toEqual(['local north available', 'local south available'])
      expect(printed[2]).toBe('7 ')
      const firsts = new Set<string | undefined>()
      for (let count = 0; count < 20; count++) {
        const { headers, text } = await post()
        const { seed } = JSON.parse(headers.get('x-sluice-trace')!)
        expect((await order({}, seed))[0]).toBe(text)
        firsts.add(text)
      }
      expect(firsts.size).toBe(2)
    },
  } satisfies Record<string, Check>)
})

const source = (path: string) => readPage(`packages/core/src/${path}`)
const namesIn = (cells: readonly (readonly string[])[], at = 0) =>
  cells.flatMap(row => [...(row[at] ?? '').matchAll(/`'?([\w:-]+)/g)].map(([, name]) => name!))

describe('the tables', () => {
  it('name every route that is made of entries', () => {
    const folder = join(root, 'packages/core/src/routing')
    const made = readdirSync(folder)
      .filter(name => !name.endsWith('.test.ts') && name !== 'models.ts')
      .flatMap(name => [...source(`routing/${name}`).matchAll(/^export function (\w+)<const/gm)])
      .map(([, name]) => name)
    const told = tableUnder(page, '# Routing').map(([cell = '']) => /`(\w+)/.exec(cell)?.[1])
    expect(told.sort()).toEqual([...new Set(made)].sort())
  })

  it('name every condition', () => {
    const made = [...source('routing/conditions.ts').matchAll(/^export (?:function|const) (\w+)[(:]/gm)]
    expect(namesIn(tableUnder(page, '## Conditional routing')).sort()).toEqual(
      made.map(([, name]) => name).sort(),
    )
  })

  it.each([
    ['## Retries and fallbacks', defaultRetry],
    ['## Circuit breaker and cooldown', defaultBreaker],
  ])('name every option with its default: %s', (heading, defaults) => {
    const told = tableUnder(page, heading).map(([name = '', , value = '']) => [
      name.replaceAll('`', ''),
      Number(value.replaceAll(',', '')),
    ])
    expect(Object.fromEntries(told)).toEqual(defaults)
  })

  it('name every reason of a place that was skipped', () => {
    const [, reasons = ''] = /readonly why:(.*?)\/\*\* When/s.exec(source('contracts/trace.ts')) ?? []
    const made = [...reasons.matchAll(/\| '(\w+)'/g)].map(([, name]) => name)
    expect(namesIn(tableUnder(page, '## Routing trace')).sort()).toEqual([...new Set(made)].sort())
  })

  it('name every kind of failure', () => {
    const [, kinds = ''] = /const kinds[^{]*\{(.*?)\}/s.exec(source('routing/fallback.ts')) ?? []
    for (const [, kind] of kinds.matchAll(/(\w+): true/g)) expect(readPage(page)).toContain(`\`${kind}\``)
  })

  const rows = tableUnder(page, '## Failures by kind').flatMap(
    ([failure = '', next = '', again = '', health = '']) =>
      [...failure.matchAll(/\b[45]\d\d\b(?! before)/g)].map(([status]) => ({
        status: Number(status),
        next,
        again,
        health,
      })),
  )

  it('say what is done after a status', async () => {
    expect(rows.length).toBeGreaterThan(12)
    await Promise.all(
      rows.map(async ({ status, next, again, health }) => {
        const ends: EndEvent[] = []
        const making = () => local({ script: () => ({ error: { status } }) })('north')
        const gateway = createGateway({
          authenticate: callers,
          route: models({ both: [making(), local()('south')], alone: making() }),
          maxAttempts: 2,
          retry: { baseMs: 1, maxMs: 1 },
          breaker: { failures: 2 },
          observe: event => void (event.type === 'end' && ends.push(event)),
        })
        const states: unknown[] = []
        for (const model of ['both', 'alone', 'both', 'alone']) {
          await gateway.fetch(requestOf({ model }))
          const { candidates } = await gateway.explain(requestOf({ model }))
          states.push(candidates[0]?.skipped?.why)
        }
        const [both, alone] = ends.map(({ attempts }) => attempts.length)
        // Of the place that another one stands in for.
        expect({ status, both, alone, state: states[2] }).toEqual({
          status,
          both: next === 'at once' ? 2 : 1,
          alone: again === 'after a wait' ? 2 : 1,
          state: health.startsWith('cooldown') ? 'cooldown' : health === 'a failure' ? 'open' : undefined,
        })
        await gateway.close()
      }),
    )
  })
})
