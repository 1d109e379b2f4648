import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Gateway,
  type Limiter,
  type LimitRuleData,
  limits,
  type PricedModel,
  type Prices,
  requests,
  type Usage,
} from '@sluice/core'
import { limitRule } from '@sluice/core/limits'
import { describe, expect, it } from 'vitest'
import { defaultRequestLimits } from '../../packages/core/src/gateway/config.ts'
import { limitDefaults } from '../../packages/core/src/rate-limiting/limits-options.ts'
import { mediaAllowance } from '../../packages/core/src/usage/media.ts'
import { chatDraft } from '../../packages/core/test/support/chat-draft.ts'
import { type Asking, ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { readPage, root, tableUnder } from './runner/markdown.ts'

const page = 'docs/limits.md'

async function gatewayOf({ run }: Snippet, edit?: (code: string) => string) {
  const running = await run({}, edit)
  const { fetch } = running.exports.gateway as Gateway
  return { running, asking: (asking: Asking = {}) => ask('http://sluice.test/v1', { fetch, ...asking }) }
}

const used = (prompt: number, cached: number, completion: number): Usage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})
const priced = (model: string, upstreamModel: string): PricedModel => ({
  operation: 'generate',
  model,
  provider: 'openai',
  upstreamModel,
  at: Date.parse('2026-06-01'),
})

/** A request whose body begins and does not end, until the signal aborts. */
function upload({ fetch }: Gateway, signal: AbortSignal) {
  const headers = { authorization: 'Bearer sk-backend', 'content-type': 'application/json' }
  const body = new ReadableStream({ start: controller => controller.enqueue(new Uint8Array([123])) })
  const init = { method: 'POST', headers, body, signal, duplex: 'half' } as RequestInit
  return fetch(new Request('http://sluice.test/v1/chat/completions', init))
}

describePage(page, {
  hierarchy: async snippet => {
    const { asking } = await gatewayOf(snippet, code =>
      code.replace('requests(600)', 'requests(3)').replace('requests(100)', 'requests(2)'),
    )
    const statuses: number[] = []
    for (const key of ['sk-ann', 'sk-ann', 'sk-ann', 'sk-bob', 'sk-bob']) {
      statuses.push((await asking({ key, model: 'demo' })).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200, 429])
  },

  users: async ({ run }) => {
    const { gateway } = (await run()).exports as { gateway: Gateway }
    const statuses = async (user: string, times: number) => {
      const found: number[] = []
      for (let at = 0; at < times; at++) {
        const answer = await gateway.fetch(
          new Request('http://sluice.test/v1/chat/completions', {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: 'Bearer sk-shop' },
            body: JSON.stringify({ model: 'small', user, messages: [{ role: 'user', content: 'Hi' }] }),
          }),
        )
        found.push(answer.status)
      }
      return found
    }
    expect(await statuses('u', 21)).toEqual([...Array(20).fill(200), 429])
    expect(await statuses('v', 1)).toEqual([200])
    await gateway.close()
  },

  uploads: async ({ run }) => {
    const refusedOf = async (maxUploads: number) => {
      const leaving = new AbortController()
      const { exports } = await run({}, code =>
        code.replace('maxUploads: 100', `uploadGraceMs: 1, maxUploads: ${maxUploads}`),
      )
      const answers = Array.from({ length: 101 }, () => upload(exports.gateway as Gateway, leaving.signal))
      const refused: Response[] = []
      for (const answer of answers) void answer.then(response => refused.push(response))
      await expect.poll(() => refused).toHaveLength(answers.length - maxUploads)
      for (const response of refused)
        expect(await response.json()).toMatchObject({ error: { code: 'too_many_uploads' } })
      leaving.abort()
      return new Set((await Promise.all(answers)).map(({ status }) => status))
    }
    expect(await refusedOf(100)).toEqual(new Set([429, 499]))
    expect(await refusedOf(4)).toEqual(new Set([429, 499]))
  },

  rules: async snippet => {
    const { asking } = await gatewayOf(snippet)
    const first = await asking({ key: 'sk-ann', model: 'large' })
    expect(first).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('60')
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('90000')
    expect(first.headers.get('x-sluice-adjustments')).toContain(
      `"max_completion_tokens";action=defaulted;detail="${limitDefaults.maxOutputTokens}"`,
    )
    for (const left of ['1', '0']) {
      const got = await asking({ key: 'sk-bob', model: 'small' })
      expect(got).toMatchObject({ status: 200 })
      expect(got.headers.get('x-ratelimit-remaining-requests')).toBe(left)
    }
    const refused = await asking({ key: 'sk-bob', model: 'small' })
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('2')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20)
    expect(await asking({ key: 'sk-ann', model: 'small' })).toMatchObject({ status: 200 })
  },

  more: async snippet => {
    const { asking } = await gatewayOf(snippet)
    const limitOf = async (key: string) => (await asking({ key })).headers.get('x-ratelimit-limit-requests')
    expect([await limitOf('sk-ann'), await limitOf('sk-bob')]).toEqual(['600', '60'])
    const statuses: number[] = []
    for (let count = 0; count < 70; count++) statuses.push((await asking({ key: 'sk-bob' })).status)
    expect(statuses.at(-1)).toBe(429)
    expect(await asking({ key: 'sk-ann' })).toMatchObject({ status: 200 })
  },

  'dry-run': async snippet => {
    const { asking, running } = await gatewayOf(snippet)
    for (let count = 0; count < 3; count++) {
      const got = await asking({ key: 'sk-ann' })
      expect(got).toMatchObject({ status: 200 })
      expect(got.headers.get('x-ratelimit-limit-requests')).toBe('60')
    }
    expect(running.printed).toEqual(["ann would have been refused by requests(2).per('hour')"])
  },

  prices: async ({ run }) => {
    const { exports } = await run()
    const prices = exports.prices as Prices & { replace(table: unknown): void }
    expect(prices(used(1_000_000, 500_000, 0), priced('small', 'other'))).toBeCloseTo(0.1125)
    expect(prices(used(0, 0, 1_000_000), priced('small', 'gpt-4.1'))).toBe(8)
    expect(prices(used(1, 0, 1), priced('large', 'other'))).toBeNull()
    expect(() => prices.replace({ small: { input: 'much', output: 1 } })).toThrow(TypeError)
    expect(prices(used(0, 0, 1_000_000), priced('small', 'other'))).toBe(0.6)
    prices.replace({ small: { input: 1, output: 1 } })
    expect(prices(used(0, 0, 1_000_000), priced('small', 'other'))).toBe(1)
  },

  tiers: async ({ run }) => {
    const prices = (await run()).exports.prices as Prices
    const small = priced('small', 'other')
    const usage = used(1_000_000, 0, 0)
    expect(prices(usage, small)).toBeCloseTo(0.15)
    expect(prices(usage, { ...small, serviceTier: 'priority' })).toBeCloseTo(0.3)
    expect(prices(usage, { ...small, serviceTier: 'flex' })).toBeCloseTo(0.075)
    expect(prices(usage, { ...small, webSearches: 2 })).toBeCloseTo(0.17)
  },

  bundled: async snippet => {
    const { asking } = await gatewayOf(snippet, code => code.replace(/ +refresh: .*\n/, ''))
    expect((await asking({ key: 'sk-ann', model: 'small' })).status).toBe(200)
  },

  'genai-prices': async ({ run }) => {
    const prices = (await run()).exports.prices as Prices
    expect(prices(used(1_000_000, 0, 0), priced('any', 'gpt-4.1'))).toBeGreaterThan(0)
    expect(prices(used(1, 0, 1), priced('any', 'no-such-model'))).toBeNull()
  },

  wait: async snippet => {
    const together = async (edit?: (code: string) => string) => {
      const { asking } = await gatewayOf(snippet, code =>
        (edit ?? (same => same))(code).replace('local()', 'local({ pace: { firstTokenMs: 50 } })'),
      )
      const got = await Promise.all([asking({ key: 'sk-ann' }), asking({ key: 'sk-ann' })])
      return got.map(({ status }) => status).sort()
    }
    expect(await together()).toEqual([200, 200])
    expect(await together(code => code.replace(/, \{ wait: .* \}\)/, ')'))).toEqual([200, 429])
  },
})

describe('the table of rules', () => {
  it.each(tableUnder(page, '# Rate limits and budgets'))(
    '%s has these windows and no others',
    (rule, _, windows) => {
      const kind = /^`(\w+)/.exec(rule ?? '')?.[1] as LimitRuleData['kind']
      const told = [...(windows ?? '').matchAll(/`(\w+)`/g)].map(([, window]) => window)
      const all = ['second', 'minute', 'hour', 'day', 'week', 'month', 'ever']
      const taken = all.filter(per => {
        try {
          limitRule({
            kind,
            limit: 1,
            per,
            ...(kind === 'budget' ? { currency: 'usd' } : {}),
          } as LimitRuleData)
          return true
        } catch {
          return false
        }
      })
      expect(told).toEqual(taken)
    },
  )

  it('names every scope', () => {
    const named = tableUnder(page, '## Scopes').map(([scope = '']) => scope.replaceAll(/[`']/g, ''))
    const type =
      /type NamedScope = (.*)/.exec(readPage('packages/core/src/contracts/principal.ts'))?.[1] ?? ''
    expect(named.sort()).toEqual(
      [
        ...['key', 'user', 'model', 'gateway'].filter(name => type.includes(`'${name}'`)),
        'tag:team',
        'a function',
      ].sort(),
    )
  })
})

it('says what a window lets in', async () => {
  const clock = { now: Date.parse('2026-11-18T12:00:00Z') }
  const limiter: Limiter = limits([requests(60).per('minute')], { now: () => clock.now })
  const context = {
    requestId: 'req_1',
    entry: 'm',
    targets: [],
    price: () => null,
    signal: new AbortController().signal,
  }
  const draft = chatDraft()
  const letIn = (ms: number) => {
    let count = 0
    for (const end = clock.now + ms; clock.now < end; clock.now += 50) {
      try {
        while (limiter.admit({ id: 'ann' }, draft, context)) count++
      } catch {
        // Until the next try.
      }
    }
    return count
  }
  const first = letIn(60_000)
  expect([first, letIn(60_000), letIn(60_000)]).toEqual([119, 60, 60])
})

describe('the options', () => {
  const rows = tableUnder(page, '## Options').map(row => row.map(cell => cell.replaceAll('`', '')))

  it('are all named, with their defaults', () => {
    const source = readFileSync(join(root, 'packages/core/src/rate-limiting/limits-options.ts'), 'utf8')
    const [, options = ''] = /interface LimitsOptions \{\n(.*?)\n\}/s.exec(source) ?? []
    const names = [...options.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
    expect(rows.map(([name]) => name)).toEqual(names)
    const told = Object.fromEntries(
      rows.flatMap(([name = '', , value = '']) =>
        name in limitDefaults ? [[name, JSON.parse(value.replaceAll(',', ''))]] : [],
      ),
    )
    expect(told).toEqual(limitDefaults)
  })

  it('are named with their defaults elsewhere in the page too', () => {
    const text = readPage(page).replaceAll('\n', ' ')
    const { image, lowImage, audio, file } = mediaAllowance
    const shown = (count: number) => count.toLocaleString('en')
    expect(text).toContain(
      `${shown(image)} tokens for an image (${lowImage} with \`detail: 'low'\`), ${shown(audio)} for audio, ${shown(file)} for a file`,
    )
    expect(text).toContain(`\`maxOutputTokens\`, ${shown(limitDefaults.maxOutputTokens)} by default`)
    expect(text).toContain(`\`leaseMs\` (${limitDefaults.leaseMs / 1_000} seconds)`)
  })
})

it('names the bounds of uploads, with their defaults', () => {
  const rows = tableUnder(page, '## Upload limits')
  const told = Object.fromEntries(
    rows.map(([name = '', , , value = '']) => {
      const [number = '', unit] = value.split(' ')
      return [name.replaceAll('`', ''), Number(number) * (unit === 'MiB' ? 1_048_576 : 1)]
    }),
  )
  expect(defaultRequestLimits).toMatchObject(told)
  const grace = rows.flatMap(([, what = '']) => [...what.matchAll(/`(\w+)` \(([\d,]+)\)/g)])
  expect(grace.map(([, name, value = '']) => [name, Number(value.replace(',', ''))])).toEqual([
    ['uploadGraceMs', defaultRequestLimits.uploadGraceMs],
    ['minRateGraceMs', defaultRequestLimits.minRateGraceMs],
  ])
})
