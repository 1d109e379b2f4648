import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { priceTable } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { type Check, describePage } from './runner/describe-page.ts'
import { readPage, root, tableUnder } from './runner/markdown.ts'
import { down, routed } from './runner/routed.ts'

const page = 'docs/routing.md'

const seeds = Array.from({ length: 400 }, (_, seed) => seed)
const words = (count: number) => 'word '.repeat(count)
const tools = [{ type: 'function', function: { name: 'f' } }]

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
      await expect.poll(() => busy.asked()).toHaveLength(count)
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
    expect(await order({ model: 'thrifty', max_tokens: 1, content: words(500) })).toEqual(['south', 'north'])
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
    await expect.poll(() => events).toHaveLength(3)
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

  it('name every reason of a place that was skipped', () => {
    const [, reasons = ''] = /readonly why:(.*?)\/\*\* When/s.exec(source('contracts/trace.ts')) ?? []
    const made = [...reasons.matchAll(/\| '(\w+)'/g)].map(([, name]) => name)
    expect(namesIn(tableUnder(page, '## Routing trace')).sort()).toEqual([...new Set(made)].sort())
  })
})
