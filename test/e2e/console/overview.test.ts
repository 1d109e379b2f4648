import { budget } from '@sluice/core'
import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import { createRequestLog } from '@sluice/log'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inMemoryRequestLog } from '../../../packages/log/src/in-memory-request-log.ts'
import { callerKey, consoleService } from './console-service.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const start = Date.UTC(2026, 10, 20, 12)

const noUsage: UsageRow = {
  by: {},
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  unpriced: 0,
  estimated: 0,
  open: 0,
}

async function setUp(requests = 3) {
  const clock = { now: start }
  const repository = inMemoryRequestLog()
  const log = createRequestLog({ repository, retention: { maxAgeMs: null } })
  onTestFinished(() => log.close())
  const now = () => clock.now
  const service = consoleService({
    console: { log, now, minutes: 60 },
    gateway: { observe: log.observe, now, limits: budget(1, 'usd').per('day').by('key') },
  })
  for (let left = requests; left > 0; left--) await (await service.chat()).text()
  const read = async (path: string) => {
    const response = await service.api(path)
    return { status: response.status, body: await response.json() }
  }
  return { ...service, clock, log, repository, read }
}

describe('the overview of this process', () => {
  it('sums what ended in the period, and says since when it knows', async () => {
    const { chat, clock, read } = await setUp()
    expect((await chat({ model: 'unknown' })).status).toBe(404)
    const { body } = await read('/overview?minutes=15')
    expect(body).toMatchObject({
      from: start - 14 * minuteMs,
      since: start,
      usage: { requests: 4, unpriced: 0 },
      errors: 1,
      parts: { unit: 'minutes' },
    })
    expect(body.usage.cost).toBeGreaterThan(0)
    // The fourth request has no model.
    expect(body.top).toEqual({
      models: [{ ...body.usage, name: 'small', requests: 3 }],
      keys: [{ ...body.usage, name: 'ann', source: 'api_keys' }],
    })
    expect(body.latency.p99Ms).toBeGreaterThanOrEqual(body.latency.p50Ms)
    expect(body.parts.at).toHaveLength(15)
    expect(body.parts.requests.at(-1)).toBe(4)
    expect(body.parts.errors.at(-1)).toBe(1)
    clock.now += 20 * minuteMs
    const later = (await read('/overview?minutes=15')).body
    expect(later).toMatchObject({ usage: { requests: 0, cost: 0 }, errors: 0, latency: { p99Ms: null } })
    // The process was there before the period: nothing is missing.
    expect(later.since).toBe(later.from)
    expect((await read('/overview')).body).toMatchObject({ usage: { requests: 4 }, errors: 1 })
  })

  it('keeps 60 minutes, and does not pretend to have more', async () => {
    const { clock, read } = await setUp()
    clock.now += 30 * hourMs
    const { body } = await read(`/overview?minutes=${24 * 60}`)
    expect(body.from).toBe(clock.now - (24 * 60 - 1) * minuteMs)
    expect(body.since).toBe(clock.now - 59 * minuteMs)
    expect(body.parts.at).toHaveLength(30)
  })

  it('has the budgets that requests were charged to, until their window is over', async () => {
    const { clock, read } = await setUp(2)
    const { budgets, moreBudgets } = (await read('/overview')).body
    expect(budgets).toEqual([
      {
        rule: "budget(1, 'usd').per('day').by('key')",
        subject: { key: 'ann', source: 'api_keys' },
        window: 'day',
        limit: 1,
        spent: expect.any(Number),
        refused: false,
        dryRun: false,
        at: start,
      },
    ])
    expect(budgets[0].spent).toBeGreaterThan(0)
    expect(moreBudgets).toBe(0)
    clock.now += dayMs
    expect((await read('/overview')).body.budgets).toEqual([])
  })

  it('has the budgets of stored keys that it charged nothing to, with what the ledger has of them', async () => {
    const asked: UsageQuery[] = []
    const sum = (key: string, source: string | null, cost: number) => ({
      ...noUsage,
      by: { key, source },
      cost,
    })
    let ids: readonly string[] = []
    const usage = async (query: UsageQuery) => {
      asked.push(query)
      return [sum(ids[1]!, 'api_keys', 4), sum(ids[0]!, 'another issuer', 9)]
    }
    const { api, keys } = consoleService({ console: { usage, now: () => start } })
    const limits = (limit: number) => [{ kind: 'budget', limit, per: 'week', currency: 'usd' }] as const
    const issued = [
      await keys.issue({ name: 'Unused', limits: limits(5) }),
      await keys.issue({ name: 'Used', limits: limits(5) }),
      await keys.issue({ name: 'Disabled', limits: limits(5) }),
      await keys.issue({ name: 'Expired', limits: limits(5), expiresAt: start - 1 }),
      await keys.issue({ name: 'Of a model', limits: [{ ...limits(5)[0], models: ['small'] }] }),
    ]
    ids = issued.map(({ stored }) => stored.id)
    await keys.update(ids[2]!, { disabled: true })
    const read = async () => (await api('/overview/budgets')).json()
    const row = { window: 'week', limit: 5, dryRun: false }
    expect(await read()).toEqual({
      budgets: [
        { ...row, key: ids[1], name: 'Used', spent: 4 },
        { ...row, key: ids[0], name: 'Unused', spent: 0 },
      ],
      moreBudgets: 0,
    })
    // The Monday before.
    expect(asked).toEqual([{ by: ['key', 'source'], from: Date.UTC(2026, 10, 16) }])
    for (let left = 8; left > 0; left--) await keys.issue({ name: 'More', limits: limits(2) })
    const { budgets, moreBudgets } = await read()
    expect([budgets.length, moreBudgets]).toEqual([8, 2])
  })

  it('leaves a budget of a key to the overview of the process once it was charged; without a ledger its spend is not known', async () => {
    const { api, board, keys } = consoleService({
      console: { now: () => start },
      gateway: { authenticate: () => ({ id: 'ann' }) },
    })
    const { stored } = await keys.issue({
      name: 'Ann',
      limits: [{ kind: 'budget', limit: 5, per: 'day', currency: 'usd' }],
    })
    const read = async () => (await (await api('/overview/budgets')).json()).budgets
    expect(await read()).toMatchObject([{ name: 'Ann', spent: null }])
    board.observe({
      type: 'budget',
      rule: "budget(5, 'usd').per('day')",
      counter: 'ann',
      subject: { key: stored.id, source: 'api_keys' },
      window: 'day',
      limit: 5,
      spent: 1,
      refused: false,
      dryRun: false,
    })
    expect(await read()).toEqual([])
  })

  it('responds 404 without keys, and 503 while the ledger does not respond', async () => {
    const none = consoleService({ console: { keys: undefined } })
    expect((await none.api('/overview/budgets')).status).toBe(404)
    const failing = consoleService({ console: { usage: () => Promise.reject(new Error('db.internal')) } })
    await failing.keys.issue({
      name: 'Ann',
      limits: [{ kind: 'budget', limit: 5, per: 'day', currency: 'usd' }],
    })
    const response = await failing.api('/overview/budgets')
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('db.internal')
    expect((await failing.api('/overview/budgets?minutes=60')).status).toBe(400)
  })

  it('is for the admin key alone, and rejects another period', async () => {
    const { fetch, read } = await setUp(0)
    const headers = { authorization: `Bearer ${callerKey}` }
    for (const path of ['/overview', '/overview/ledger', '/overview/log', '/overview/budgets'])
      expect((await fetch(`/console/api${path}`, { headers })).status).toBe(401)
    for (const query of [
      'minutes=0',
      'minutes=129601',
      'minutes=1.5',
      'minutes=',
      'days=1',
      'minutes=1&minutes=2',
    ])
      for (const path of ['/overview', '/overview/log'])
        expect([path, query, (await read(`${path}?${query}`)).status]).toEqual([path, query, 400])
    expect((await read('/overview/memory')).status).toBe(404)
  })
})

describe('the overview from the ledger', () => {
  const row: UsageRow = {
    ...noUsage,
    requests: 2,
    promptTokens: 3,
    completionTokens: 4,
    cost: 0.5,
    unpriced: 1,
  }
  function withLedger(usage: (query: UsageQuery) => Promise<readonly UsageRow[]>) {
    return consoleService({ console: { usage, now: () => start } })
  }

  it('sums up the days of long periods, also those without a request', async () => {
    const asked: UsageQuery[] = []
    const { api } = withLedger(async query => {
      asked.push(query)
      return query.by.length === 0 ? [row] : [{ ...row, by: { day: '2026-11-19' } }]
    })
    const from = start - 7 * dayMs
    expect(await (await api(`/overview/ledger?minutes=${7 * 24 * 60}`)).json()).toEqual({
      from,
      usage: { requests: 2, promptTokens: 3, completionTokens: 4, cost: 0.5, unpriced: 1 },
      parts: {
        at: [13, 14, 15, 16, 17, 18, 19, 20].map(day => Date.UTC(2026, 10, day)),
        unit: 'days',
        requests: [0, 0, 0, 0, 0, 0, 2, 0],
        cost: [0, 0, 0, 0, 0, 0, 0.5, 0],
      },
      top: { models: [], keys: [] },
    })
    expect(asked).toEqual(
      expect.arrayContaining([
        { by: [], from },
        { by: ['day'], from },
      ]),
    )
  })

  it('asks for short periods part by part, without a gap or an overlap', async () => {
    const asked: UsageQuery[] = []
    const { api } = withLedger(async query => {
      asked.push(query)
      return []
    })
    const { parts, usage } = await (await api(`/overview/ledger?minutes=${24 * 60}`)).json()
    expect([parts.unit, parts.at.length, usage.requests]).toEqual(['hours', 12, 0])
    const periods = asked.filter(({ to }) => to !== undefined)
    expect(periods.map(({ from }) => from)).toEqual(parts.at)
    expect(periods.map(({ to }) => to)).toEqual([...parts.at.slice(1), start])
  })

  it('has the five models and keys that cost most, of the same cost those with most requests', async () => {
    const costs = [1, 7, 7, 3, 0, 5]
    const { api } = withLedger(async ({ by }) => {
      const [name] = by
      if (name === undefined) return [row]
      return [
        { ...row, by: { [name]: null }, cost: 99 },
        ...costs.map((cost, at) => ({
          ...row,
          by: { [name]: `${name} ${at}`, ...(by.length > 1 && { source: 'api_keys' }) },
          cost,
          requests: at,
        })),
      ]
    })
    const { top } = await (await api('/overview/ledger?minutes=60')).json()
    const namesOf = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name)
    expect(namesOf(top.models)).toEqual(['model 2', 'model 1', 'model 5', 'model 3', 'model 0'])
    expect(namesOf(top.keys)).toEqual(['key 2', 'key 1', 'key 5', 'key 3', 'key 0'])
    expect(top.keys[0]).toEqual({
      name: 'key 2',
      source: 'api_keys',
      requests: 2,
      promptTokens: 3,
      completionTokens: 4,
      cost: 7,
      unpriced: 1,
    })
  })

  it('is 404 without a ledger, and 503 while it fails', async () => {
    expect((await consoleService().api('/overview/ledger')).status).toBe(404)
    const { api, failures } = withLedger(() => Promise.reject(new Error('db.internal')))
    const response = await api('/overview/ledger')
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.not.stringContaining('db.internal'),
    ])
    expect(failures.length).toBeGreaterThan(0)
  })
})

describe('the overview from the request log', () => {
  it('counts errors and durations, and has the latest failures', async () => {
    const { chat, log, read } = await setUp(3)
    for (let left = 10; left > 0; left--) await (await chat({ model: 'unknown' })).text()
    await log.flush()
    const { body } = await read('/overview/log?minutes=1440')
    expect(body).toMatchObject({
      from: start - dayMs,
      since: start - dayMs,
      isSample: false,
      requests: 13,
      errors: 10,
    })
    expect(body.failures).toHaveLength(8)
    expect(new Set(body.failures.map(({ outcome }: { outcome: string }) => outcome))).toEqual(
      new Set(['refused']),
    )
    expect(body.latency.p95Ms).not.toBeNull()
    expect(JSON.stringify(body)).not.toContain('secret prompt')
  })

  it('reads the newest 2,000 of more requests, and says since when', async () => {
    const { log, read, repository } = await setUp(1)
    await log.flush()
    const [row] = (await log.search()).rows
    await repository.insert(
      Array.from({ length: 2_600 }, (_, index) => ({ ...row!, id: `req_${index}`, at: start - 1 - index })),
    )
    const { body } = await read('/overview/log')
    expect(body).toMatchObject({ isSample: true, requests: 2_000, since: start - 1_999 })
  })

  it('is 404 without a log, and 503 while it fails', async () => {
    expect((await consoleService().api('/overview/log')).status).toBe(404)
    const { read, repository, failures } = await setUp(0)
    repository.search = () => Promise.reject(new Error('db.internal'))
    expect((await read('/overview/log')).status).toBe(503)
    expect(failures.length).toBeGreaterThan(0)
  })
})
