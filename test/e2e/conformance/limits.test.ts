import { limits, requests, tokens } from '@sluice/core'
import OpenAI, { RateLimitError } from 'openai'
import { expect, it } from 'vitest'
import { completionOf } from './completion-of.ts'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

let now = Date.now()
const limit = () => limits([requests(3).per('minute')], { now: () => now })
/** Long enough for all of the room to be free again. */
const minute = 60_000
const span = /^(\d+h)?(\d+m)?(\d+(\.\d+)?(s|ms))$/

overMounts(
  () => testGateway({}, { limits: limit() }),
  site => {
    const exhaust = async () => {
      now += minute
      for (let count = 0; count < 3; count++) completionOf(await site.chat())
      return site.chat()
    }

    it('C34 refuses what comes too often', async () => {
      expectError(await exhaust(), 429, {
        type: 'requests',
        code: 'rate_limit_exceeded',
        param: null,
        message: /^Rate limit reached .*Limit 3, Used 3, Requested 1\. Please try again in 20s\./,
      })
    })

    it('C35 says when to come again', async () => {
      const { headers } = await exhaust()
      const seconds = headers['retry-after']!
      expect(seconds).toMatch(/^[1-9]\d?$/)
      expect(Number(seconds)).toBeLessThanOrEqual(60)
      const ms = Number(headers['retry-after-ms'])
      expect(ms).toBeGreaterThan(0)
      expect(Math.ceil(ms / 1000)).toBe(Number(seconds))
    })

    it('C36 answers who comes again then, and not before', async () => {
      const { headers } = await exhaust()
      now += Number(headers['retry-after-ms']) - 1
      expectError(await site.chat(), 429, { type: 'requests' })
      now += 1
      completionOf(await site.chat())
      expectError(await site.chat(), 429, { type: 'requests' })
    })

    it('C37 tells what is left', async () => {
      now += minute
      const left: unknown[] = []
      for (let count = 0; count < 3; count++) {
        const { status, headers } = await site.chat()
        expect(status).toBe(200)
        expect(headers['x-ratelimit-limit-requests']).toBe('3')
        expect(headers['x-ratelimit-reset-requests']).toMatch(span)
        left.push(headers['x-ratelimit-remaining-requests'])
      }
      expect(left).toEqual(['2', '1', '0'])
      const refused = await site.chat()
      expect(refused.headers['x-ratelimit-limit-requests']).toBe('3')
      expect(refused.headers['x-ratelimit-remaining-requests']).toBe('0')
      now += minute
      const wrong = await site.chat({ temperature: 9 })
      expectError(wrong, 400)
      expect(wrong.headers['x-ratelimit-limit-requests']).toBe('3')
    })

    it('C38 tells when all is free again', async () => {
      now += minute
      expect((await site.chat()).headers['x-ratelimit-reset-requests']).toBe('20s')
      expect((await site.chat()).headers['x-ratelimit-reset-requests']).toBe('40s')
      now += 9_877
      const { headers } = await site.chat()
      expect(headers['x-ratelimit-reset-requests']).toMatch(span)
      expect(headers['x-ratelimit-reset-requests']).toBe('50.123s')
    })

    it('C34 counts each caller alone', async () => {
      expectError(await exhaust(), 429, { type: 'requests' })
      expect((await site.chat({}, { key: 'key with spaces' })).status).toBe(200)
    })
  },
)

/** Room for three requests that reserve a thousand tokens each, and are charged what they use. */
overMounts(
  () =>
    testGateway(
      {},
      { limits: limits([tokens(3_000).per('minute'), requests(9).per('day')], { now: () => now }) },
    ),
  site => {
    const ask = (fields: object = {}) => site.chat({ max_tokens: 900, ...fields })
    const left = (headers: Readonly<Record<string, string | undefined>>) =>
      Number(headers['x-ratelimit-remaining-tokens'])

    it('C37 tells what is left of both kinds, less by what each request used', async () => {
      now += 86_400_000
      const seen: { readonly tokens: number; readonly used: number; readonly requests: unknown }[] = []
      for (let count = 0; count < 3; count++) {
        const { status, headers, json } = await ask()
        expect(status).toBe(200)
        expect(headers['x-ratelimit-limit-tokens']).toBe('3000')
        expect(headers['x-ratelimit-reset-tokens']).toMatch(span)
        expect(headers['x-ratelimit-limit-requests']).toBe('9')
        const { usage } = json as { usage: { total_tokens: number } }
        seen.push({
          tokens: left(headers),
          used: usage.total_tokens,
          requests: headers['x-ratelimit-remaining-requests'],
        })
      }
      expect(seen.map(({ requests }) => requests)).toEqual(['8', '7', '6'])
      for (const [index, { tokens }] of seen.entries()) {
        const before = seen[index - 1]
        if (before !== undefined) expect(tokens).toBe(before.tokens - before.used)
      }
    })

    it('C34 refuses a request that is larger than the limit, and says that no waiting helps', async () => {
      now += 86_400_000
      const refused = await ask({ max_tokens: 3_000 })
      expectError(refused, 429, {
        type: 'tokens',
        code: 'rate_limit_exceeded',
        param: null,
        message:
          /^Request too large .*Limit 3000, Requested 30\d\d \(\d+ for the input, \d+ for the output\)\. The input or output tokens must be reduced/,
      })
      expect(refused.headers['x-should-retry']).toBe('false')
      expect(refused.headers).not.toHaveProperty('retry-after')
      expect(refused.headers['x-ratelimit-remaining-tokens']).toBe('3000')
      expect((await ask()).headers['x-ratelimit-remaining-requests']).toBe('8')
    })
  },
)

/** The official client waits as long as it is told, and is answered then. */
overMounts(
  () => testGateway({}, { limits: [requests(1).per('second')] }),
  site => {
    it('C36 answers the official client that waits as it is told', async () => {
      const client = (maxRetries: number) =>
        new OpenAI({ baseURL: site.place.baseURL, apiKey: 'good-key', maxRetries })
      const ask = (maxRetries: number) =>
        client(maxRetries).chat.completions.create({
          model: 'local',
          messages: [{ role: 'user', content: 'Hello!' }],
        })
      await ask(5)
      const started = performance.now()
      await expect(ask(0)).rejects.toBeInstanceOf(RateLimitError)
      expect((await ask(1)).choices[0]?.message.content).toMatch(/\S/)
      expect(performance.now() - started).toBeLessThan(3_000)
    })
  },
)
