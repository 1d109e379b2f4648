import { budget, concurrent, requests, tokens } from '@sluice/core'
import { bedrock, gemini } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { pixel } from '../../clients/script.ts'
import { expectMessagesError } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces, startRawVendor } from './over-places.ts'

const long = 'word '.repeat(500)
const estimated = /^"input_tokens";action=mapped;detail="estimated"$/
const tokensOf = ({ json }: { readonly json: object | undefined }) =>
  (json as { input_tokens: number }).input_tokens

overPlaces(open => {
  it('M40 has the count of a vendor of the protocol', async () => {
    const { upstream, table } = await startRawVendor(steps.reply({ input_tokens: 4_321, other: 1 }))
    const site = await open(table)
    const answer = await site.count({
      model: 'native',
      tools: [{ name: 'a', input_schema: { type: 'object' } }],
    })
    expect([answer.status, answer.json]).toEqual([200, { input_tokens: 4_321 }])
    expect(upstream.requests[0]!.path).toBe('/v1/messages/count_tokens')
    expect(upstream.requests[0]!.json).toMatchObject({ model: 'vendor-model', tools: [{ name: 'a' }] })
    expect(upstream.requests[0]!.json).not.toHaveProperty('max_tokens')
  })

  it('M40 has the count of vendors with an API of their own', async () => {
    const { upstream } = await startRawVendor(({ path }) =>
      steps.reply(path.includes(':countTokens') ? { totalTokens: 77 } : { inputTokens: 88 }),
    )
    const { url } = upstream
    const site = await open({
      gemini: gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-2.5-pro'),
      bedrock: bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url })(
        'anthropic.claude-sonnet-4-20250514-v1:0',
      ),
    })
    expect((await site.count({ model: 'gemini' })).json).toEqual({ input_tokens: 77 })
    expect((await site.count({ model: 'bedrock' })).json).toEqual({ input_tokens: 88 })
  })

  it.each(['chat', 'native', 'gemini', 'bedrock'])(
    'M40 has an estimate where the vendor counts nothing: %s',
    async model => {
      const { upstream, table: raw } = await startRawVendor(
        steps.reply({ error: { message: 'no such path' } }, { status: 404 }),
      )
      const { url } = upstream
      const table = {
        ...raw,
        gemini: gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-2.5-pro'),
        bedrock: bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url })('us.amazon.nova-lite-v1:0'),
      }
      const site = await open(table)
      const short = await site.count({ model })
      expect(short.status, short.body).toBe(200)
      expect(Object.keys(short.json!)).toEqual(['input_tokens'])
      expect(short.headers['x-sluice-adjustments']).toMatch(estimated)
      expect(tokensOf(short)).toBeGreaterThan(0)
      const much = tokensOf(await site.count({ model, messages: [{ role: 'user', content: long }] }))
      expect(much).toBeGreaterThan(350)
      expect(much).toBeLessThan(1_000)
    },
  )

  it('M40 has an estimate where the vendor fails', async () => {
    const { table } = await startRawVendor(
      steps.reply({ error: 'x' }, { status: 500 }),
      [steps.head(), steps.cut()],
      steps.reply('no'),
    )
    const site = await open(table)
    for (const _ of [1, 2, 3]) {
      const answer = await site.count({ model: 'native' })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers['x-sluice-adjustments']).toMatch(estimated)
    }
  })

  it('M40 refuses what a message would be refused for', async () => {
    const site = await open({ chat: local()('m') })
    for (const fields of [
      { messages: undefined },
      { messages: [] },
      { messages: [{ role: 'x', content: '' }] },
      { tools: 'x' },
    ]) {
      expectMessagesError(await site.count(fields), 400, 'invalid_request_error')
    }
    expectMessagesError(await site.count({ model: 'none' }), 404, 'not_found_error', 'model: none')
  })

  it('M41 T16 reads tools, system, results and pictures too', async () => {
    const site = await open({ chat: local()('m') })
    const least = tokensOf(await site.count())
    const fields = [
      { system: long },
      { system: [{ type: 'text', text: long }] },
      { tools: [{ name: 'a', description: long, input_schema: { type: 'object' } }] },
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'a', input: { long } }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: long }] }],
          },
        ],
      },
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
          },
        ],
      },
    ]
    for (const more of fields) expect(tokensOf(await site.count(more)) - least).toBeGreaterThan(300)
  })

  it('M41 needs a key, and takes nothing of any limit', async () => {
    const { ledger, closings, entries } = memoryLedger()
    const site = await open(
      { chat: local()('m'), other: local()('o') },
      {
        ledger,
        prices: () => 1,
        limits: [requests(1).per('hour'), tokens(2_000).per('hour'), concurrent(1)],
      },
    )
    expectMessagesError(await site.count({}, { key: null }), 401, 'authentication_error')
    expectMessagesError(await site.count({}, { key: 'narrow-key' }), 403, 'permission_error')
    for (const _ of [1, 2, 3])
      expect((await site.count({ messages: [{ role: 'user', content: long }] })).status).toBe(200)
    const [closing] = await closings(3)
    expect(entries[0]).toMatchObject({ operation: 'countTokens', dialect: 'messages_count_tokens' })
    expect(closing!.charge?.cost ?? 0).toBe(0)
    expect((await site.message({ max_tokens: 9 })).status).toBe(200)
    expectMessagesError(await site.message({ max_tokens: 9 }), 429, 'rate_limit_error')
    expect((await site.count()).status).toBe(200)
    const spent = await open(
      { chat: local()('m') },
      { prices: () => 1, limits: [budget(0.1, 'usd').per('day')] },
    )
    expectMessagesError(await spent.message(), 402, 'billing_error')
    expect((await spent.count()).status).toBe(200)
  })

  it('M41 K26 counts twenty-five at once', async () => {
    const { table, upstream } = await startRawVendor([steps.wait(30), steps.reply({ input_tokens: 7 })])
    const site = await open(table, { limits: [requests(1).per('hour'), concurrent(1)] })
    const answers = await Promise.all(Array.from({ length: 25 }, () => site.count({ model: 'native' })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 200))
    expect(upstream.requests).toHaveLength(25)
  })
})
