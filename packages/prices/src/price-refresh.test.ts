import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WarningEvent } from '@sluice/core'
import type { PricedModel } from '@sluice/core/ledger'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundledTable } from './bundled-table.ts'
import { type BundledPrices, type BundledPricesOptions, bundledPrices, pricesUpdatedAt } from './index.ts'

const dayMs = 86_400_000
const start = Date.parse(pricesUpdatedAt) + dayMs
const usage = {
  prompt_tokens: 1_000_000,
  completion_tokens: 0,
  total_tokens: 1_000_000,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}
const asked = (at: number, upstreamModel = 'gpt-4o-mini'): PricedModel => ({
  operation: 'generate',
  model: 'public',
  provider: 'openai',
  upstreamModel,
  at,
})

/** The bundled table, with another price for one model. */
function table(input: unknown, match: object = { equals: 'gpt-4o-mini' }): string {
  const mine = { id: 'mine', match, prices: { input_mtok: input, output_mtok: 1 } }
  return JSON.stringify(
    Object.entries(bundledTable).map(([id, json]) => {
      const provider = JSON.parse(json) as { models: object[] }
      return { ...provider, id, models: id === 'openai' ? [mine, ...provider.models] : provider.models }
    }),
  )
}

interface Fixture {
  readonly prices: BundledPrices
  readonly warnings: WarningEvent[]
  /** Moves the clock, and returns the price of a request at that time. */
  readonly priceAfter: (ms: number) => number | null
}

function setUp(options: Omit<BundledPricesOptions, 'observe' | 'now'>): Fixture {
  let now = start
  const warnings: WarningEvent[] = []
  const observe = (event: object) => void warnings.push(event as WarningEvent)
  const prices = bundledPrices({ warnAfterDays: false, ...options, observe, now: () => now })
  onTestFinished(() => prices.close())
  return {
    prices,
    warnings,
    priceAfter: ms => {
      now += ms
      return prices(usage, asked(now))
    },
  }
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/data.json`
}

describe('refresh', () => {
  it('loads a table from a URL, by the first request after an interval', async () => {
    let input = 7
    let loads = 0
    const from = await serve((_, response) => {
      loads += 1
      response.end(table(input))
    })
    const { prices, priceAfter } = setUp({ refresh: { from } })
    expect(priceAfter(0)).toBeCloseTo(0.15, 9)
    expect(await prices.refresh()).toBe(true)
    expect(priceAfter(1)).toBe(7)
    expect(prices.updatedAt).toBe(start)
    input = 8
    expect(priceAfter(dayMs - 2)).toBe(7)
    expect(loads).toBe(1)
    expect(priceAfter(1)).toBe(7)
    expect(await prices.refresh()).toBe(true)
    expect(priceAfter(0)).toBe(8)
    expect(loads).toBe(2)
  })

  it('loads a table by a function', async () => {
    const { prices, priceAfter } = setUp({
      refresh: { from: () => table({ base: 1, tiers: [{ start: 10, price: 2 }] }) },
    })
    expect(await prices.refresh()).toBe(true)
    expect(priceAfter(0)).toBe(2)
  })

  it.each<[string, string, RegExp]>([
    ['no JSON', 'secret{', /^The table of prices is not valid JSON\. The last valid prices apply\.$/],
    ['another JSON', '{"secret":1}', /is not a list of 1 to 500 providers/],
    ['a price below 0', table(-1), /openai: mine: input_mtok: expected a number from 0/],
    ['a price as text', table('1'), /openai: mine: input_mtok: expected a number from 0/],
    ['a price that nobody takes', table(1e9), /input_mtok/],
    ['tiers without a start', table({ base: 1, tiers: [{ price: 2 }] }), /tiers with a start/],
    ['an unknown rule', table(1, { like: 'a' }), /openai: mine: expected equals/],
    ['a pattern that backtracks', table(1, { regex: '^(a+)+$' }), /simpler pattern/],
    ['a pattern with many quantifiers', table(1, { regex: 'a?a?a?a*' }), /simpler pattern/],
    ['too few models', '[{"id":"openai","models":[]}]', /has 0 models, expected at least half of \d{4}/],
  ])('keeps the last valid table after %s', async (_, text, message) => {
    let next = table(7)
    const { prices, warnings, priceAfter } = setUp({ refresh: { from: () => next } })
    await prices.refresh()
    next = text
    expect(await prices.refresh()).toBe(false)
    expect(await prices.refresh()).toBe(false)
    expect(priceAfter(0)).toBe(7)
    expect(warnings).toMatchObject([
      { code: 'prices_not_refreshed', message: expect.stringMatching(message) },
    ])
    expect(JSON.stringify(warnings)).not.toContain('secret')
    next = table(9)
    expect(await prices.refresh()).toBe(true)
    expect(priceAfter(0)).toBe(9)
  })

  it.each<[string, RequestListener, RegExp]>([
    ['an error', (_, response) => response.writeHead(500).end('secret'), /responded with 500/],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/x' }).end(), /responded with 302/],
    ['a table that is too large', (_, response) => response.end('x'.repeat(2_000)), /more than 1000 bytes/],
    [
      'a body that breaks off',
      (_, response) => void response.write('[', () => response.destroy()),
      /could not be loaded/,
    ],
    ['no response', () => {}, /timed out after 200 ms/],
  ])('survives %s', async (_, listener, message) => {
    const from = await serve(listener)
    const { prices, warnings, priceAfter } = setUp({ refresh: { from, maxBytes: 1_000, timeoutMs: 200 } })
    expect(await prices.refresh()).toBe(false)
    expect(priceAfter(0)).toBeCloseTo(0.15, 9)
    expect(warnings).toMatchObject([{ message: expect.stringMatching(message) }])
    expect(JSON.stringify(warnings)).not.toMatch(/127\.0\.0\.1|secret/)
  })

  it('tries again five minutes after a failure', async () => {
    let loads = 0
    const from = async () => {
      loads += 1
      throw Object.assign(new Error('/secret/path'), { code: 'ENOENT' })
    }
    const { prices, warnings, priceAfter } = setUp({ refresh: { from } })
    await prices.refresh()
    priceAfter(299_999)
    expect(loads).toBe(1)
    priceAfter(1)
    expect(loads).toBe(2)
    await prices.refresh()
    expect(warnings).toMatchObject([
      { message: 'The prices could not be loaded: ENOENT. The last valid prices apply.' },
    ])
  })

  it('ends what it loads when it is closed, and loads nothing then', async () => {
    const waiting = new Promise<string>(() => {})
    const { prices, warnings, priceAfter } = setUp({ refresh: { from: () => waiting } })
    const refreshed = prices.refresh()
    prices.close()
    expect(await refreshed).toBe(false)
    expect(await prices.refresh()).toBe(false)
    expect(priceAfter(10 * dayMs)).toBeCloseTo(0.15, 9)
    expect(warnings).toEqual([])
  })

  it('warns of an old table, once a day', () => {
    const { warnings, priceAfter } = setUp({ warnAfterDays: 30 })
    priceAfter(29 * dayMs)
    expect(warnings).toEqual([])
    priceAfter(1)
    priceAfter(1)
    expect(warnings).toMatchObject([
      { type: 'warning', code: 'prices_outdated', message: expect.stringContaining(pricesUpdatedAt) },
    ])
    priceAfter(dayMs)
    expect(warnings).toHaveLength(2)
  })

  it('does nothing without a source', async () => {
    expect(await setUp({}).prices.refresh()).toBe(false)
  })
})
