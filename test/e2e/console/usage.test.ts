import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import { describe, expect, it } from 'vitest'
import { consoleService } from './console-service.ts'

const row: UsageRow = {
  by: { model: 'small', 'tag:team': null },
  requests: 2,
  promptTokens: 3,
  completionTokens: 4,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0.5,
  unpriced: 1,
  estimated: 0,
  open: 0,
}

function setUp(usage: (query: UsageQuery) => Promise<readonly UsageRow[]> = async () => [row]) {
  const asked: UsageQuery[] = []
  const service = consoleService({
    console: {
      usage: query => {
        asked.push(query)
        return usage(query)
      },
    },
  })
  return { ...service, asked }
}

describe('usage in the console', () => {
  it('is asked of the ledger', async () => {
    const { api, asked } = setUp()
    const answer = await api('/usage?by=model,tag%3Ateam&from=1000&to=2000')
    expect(await answer.json()).toEqual({ rows: [row] })
    await api('/usage?by=&from=')
    expect(asked).toEqual([{ by: ['model', 'tag:team'], from: 1_000, to: 2_000 }, { by: [] }])
    expect(await (await api('/about')).json()).toMatchObject({ ledger: true })
  })

  it.each([
    ['by=colour', 'by'],
    ['by=tag:', 'by'],
    ['by=model,', 'by'],
    [`by=${Array.from({ length: 9 }, (_, at) => `tag:${at}`)}`, 'by'],
    ['from=yesterday', 'from'],
    ['from=-1', 'from'],
    ['to=1e3', 'to'],
    ['to=1&to=2', 'to'],
    ['where=a', null],
  ])('is not asked for %s', async (query, param) => {
    const { api, asked } = setUp()
    const answer = await api(`/usage?${query}`)
    expect(answer.status).toBe(400)
    expect((await answer.json()).error).toMatchObject({ param })
    expect(asked).toEqual([])
  })

  it('is 503 while the ledger is away', async () => {
    const fault = new TypeError('fetch failed: db.internal')
    const { api, failures } = setUp(() => Promise.reject(fault))
    const answer = await api('/usage?by=model')
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain('internal')
    expect(failures).toEqual([fault])
  })

  it('is 404 without a ledger', async () => {
    expect((await consoleService().api('/usage?by=model')).status).toBe(404)
  })
})
