import { describe, expect, it } from 'vitest'
import type { BudgetEvent } from '../../src/contracts/events.ts'
import type { LimitRuleData } from '../../src/contracts/principal.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { memoryLimitStore } from '../../src/rate-limiting/memory-limit-store.ts'
import { budget, requests } from '../../src/rate-limiting/rule.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'

const body = { max_tokens: 20 }

function serve(...rules: readonly LimitRuleData[]) {
  const service = serving(scripted(() => whole('Hi.')).target, {
    authenticate: request => ({
      id: request.headers.get('x-name') ?? 'ann',
      source: 'jwt',
      tags: { team: 'search' },
    }),
    limits: rules,
    prices: ({ completion_tokens }) => completion_tokens * 0.01,
  })
  const budgets = () => service.events.filter((event): event is BudgetEvent => event.type === 'budget')
  return { ...service, budgets }
}

describe('the events of budgets', () => {
  it('have what was spent once a request is charged, by rule and who shares it', async () => {
    const { post, budgets } = serve(
      requests(99).per('day'),
      budget(1, 'usd').per('day'),
      budget(2, 'usd').per('month').by('tag:team', 'model').dryRun(),
      budget(3, 'usd').per('ever').by('gateway'),
      budget(4, 'usd').per('hour').by('user'),
      budget(5, 'usd')
        .per('hour')
        .by(() => 'x'),
    )
    await post({ ...body, user: 'u' })
    await post(body)
    const own = { key: 'ann', source: 'jwt' }
    expect(budgets().slice(0, 5)).toMatchObject([
      { rule: "budget(1, 'usd').per('day')", subject: own, window: 'day', limit: 1, spent: 0.02 },
      { subject: { 'tag:team': 'search', model: 'm' }, window: 'month', limit: 2, spent: 0.02, dryRun: true },
      { subject: {}, window: 'ever', limit: 3, spent: 0.02 },
      { subject: { ...own, user: 'u' }, limit: 4, refused: false, dryRun: false },
      { subject: {}, limit: 5 },
    ])
    expect(
      budgets()
        .slice(5)
        .map(({ spent }) => spent),
    ).toEqual([0.04, 0.04, 0.04, 0.02, 0.04])
    const counters = budgets().map(({ counter }) => counter)
    expect(new Set(counters).size).toBe(6)
  })

  it('say which budget refused a request', async () => {
    const { post, budgets } = serve(budget(0.21, 'usd').per('day'), budget(9, 'usd').per('day').by('gateway'))
    await post(body)
    expect((await post(body)).status).toBe(429)
    expect(budgets().slice(2)).toMatchObject([{ limit: 0.21, spent: 0.02, refused: true }])
  })

  it('say nothing of a request that is larger than the budget', async () => {
    const { post, budgets } = serve(budget(0.21, 'usd').per('day'))
    expect((await post({ max_tokens: 22 })).status).toBe(429)
    expect(budgets()).toEqual([])
  })

  it('are not sent while the store does not respond', async () => {
    const store = {
      ...memoryLimitStore(),
      admit: () => Promise.reject(new Error('away')),
      settle: () => {},
      renew: () => {},
    }
    const events: string[] = []
    const observe = ({ type }: { type: string }) => void events.push(type)
    const rules = [budget(1, 'usd').per('day')]
    const { post } = serving(scripted(() => whole('Hi.')).target, {
      limits: limits(rules, { store, observe, onStoreFailure: 'local' }),
      prices: () => 0.01,
    })
    expect((await post(body)).status).toBe(200)
    expect(events).not.toContain('budget')
  })

  it('fail no request', async () => {
    const { post } = serving(scripted(() => whole('Hi.')).target, {
      limits: budget(1, 'usd').per('day'),
      prices: () => 0.01,
      observe: () => {
        throw new Error('x')
      },
    })
    expect((await post(body)).status).toBe(200)
  })
})
