import { budget, concurrent, requests, tokens } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { pixel } from '../../clients/script.ts'
import type { InboundSite } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const long = 'word '.repeat(500)

const countOf = (site: InboundSite, fields: object, key: string | null = 'good-key') =>
  site.send('/responses/input_tokens', {
    method: 'POST',
    body: { model: 'chat', input: 'Hello!', ...fields },
    key,
  })

const tokensOf = ({ json }: { readonly json: object | undefined }) => (json as Loose).input_tokens as number

/** A server of the protocol that counts tokens, or cannot. */
async function counting(status: number) {
  const upstream = await startUpstream(({ path }) =>
    path.endsWith('/input_tokens')
      ? steps.reply({ object: 'response.input_tokens', input_tokens: 4_321 }, { status })
      : steps.reply({
          id: 'resp_v',
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: 'm',
          output: [],
          usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
        }),
  )
  onTestFinished(() => upstream.close())
  const { baseURL } = upstream
  const speaking = openaiCompatible({
    name: 'speaking',
    baseURL,
    apiKey: 'sk-vendor',
    speaks: ['responses'],
    countsInputTokens: true,
  })
  return { upstream, table: { native: speaking('vendor-model'), chat: local()('m') } }
}

overPlaces(open => {
  it('R70 has the count of a vendor of the protocol, for the restored conversation', async () => {
    const { upstream, table } = await counting(200)
    const site = await open(table)
    const first = (await site.respond({ model: 'native', input: 'one' })).json as Loose
    const answer = await countOf(site, {
      model: 'native',
      previous_response_id: first.id,
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }],
      reasoning: { effort: 'low' },
      stream: true,
      store: true,
      max_output_tokens: 5,
      temperature: 1,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      client_metadata: {},
    })
    expect([answer.status, answer.json]).toEqual([
      200,
      { object: 'response.input_tokens', input_tokens: 4_321 },
    ])
    expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
    const { path, headers, json } = upstream.requests.at(-1)!
    expect(path).toBe('/v1/responses/input_tokens')
    expect(headers).toMatchObject({ authorization: 'Bearer sk-vendor', accept: 'application/json' })
    expect(Object.keys(json as object).toSorted()).toEqual([
      'input',
      'instructions',
      'model',
      'reasoning',
      'tools',
    ])
    expect(json).toMatchObject({ model: 'vendor-model' })
    expect((json as Loose).input.map(({ content }: Loose) => content)).toEqual(['one', 'Hello!'])
  })

  it('R70 has an estimate where the vendor fails, or counts nothing', async () => {
    const { table } = await counting(404)
    const site = await open(table)
    for (const model of ['native', 'chat']) {
      const answer = await countOf(site, { model })
      expect([answer.status, tokensOf(answer) > 0]).toEqual([200, true])
      expect(answer.headers['x-sluice-adjustments']).toBe('"input_tokens";action=mapped;detail="estimated"')
    }
  })

  it('R70 T16 counts instructions, tools, results, pictures and what was before', async () => {
    const { table } = await counting(404)
    const site = await open(table)
    const least = tokensOf(await countOf(site, {}))
    const stored = (await site.respond({ input: long })).json as Loose
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    const fields: readonly object[] = [
      { instructions: long },
      { input: long },
      { tools: [{ type: 'function', name: 'f', description: long, parameters: null }] },
      { input: [call, { type: 'function_call_output', call_id: 'c', output: long }] },
      {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }] },
        ],
      },
      { previous_response_id: stored.id },
      {
        input: [
          { type: 'item_reference', id: stored.output[0].id },
          { role: 'user', content: long },
        ],
      },
    ]
    for (const more of fields) {
      const answer = await countOf(site, more)
      expect(answer.status, answer.body).toBe(200)
      expect(tokensOf(answer) - least, JSON.stringify(more).slice(0, 80)).toBeGreaterThan(200)
    }
  })

  it('R70 refuses what a response would be refused for', async () => {
    const { table } = await counting(404)
    const site = await open(table)
    for (const [fields, param] of [
      [{ input: undefined }, 'input'],
      [{ input: [{ role: 'king', content: 'x' }] }, 'input[0].role'],
      [{ previous_response_id: 'resp_none' }, 'previous_response_id'],
      [{ model: 'none' }, 'model'],
    ] as const) {
      const refused = await countOf(site, fields)
      expect([refused.status, (refused.json as Loose).error.param]).toEqual([400, param])
    }
  })

  it('R70 needs a key, and takes nothing of any limit', async () => {
    const { ledger, closings, entries } = memoryLedger()
    const site = await open(
      { chat: local()('m'), other: local()('o') },
      {
        ledger,
        prices: () => 1,
        limits: [requests(1).per('hour'), tokens(2_000).per('hour'), concurrent(1)],
      },
    )
    expect((await countOf(site, {}, null)).status).toBe(401)
    expect((await countOf(site, {}, 'narrow-key')).status).toBe(403)
    for (const _ of [1, 2, 3]) expect((await countOf(site, { input: long })).status).toBe(200)
    const [closing] = await closings(3)
    expect(entries[0]).toMatchObject({ operation: 'countTokens', dialect: 'responses_input_tokens' })
    expect(closing!.charge?.cost ?? 0).toBe(0)
    expect((await site.respond({ max_output_tokens: 9 })).status).toBe(200)
    expect((await site.respond({ max_output_tokens: 9 })).status).toBe(429)
    expect((await countOf(site, {})).status).toBe(200)
    const spent = await open(
      { chat: local()('m') },
      { prices: () => 1, limits: [budget(0.1, 'usd').per('day')] },
    )
    expect((await spent.respond()).status).toBe(429)
    expect((await countOf(spent, {})).status).toBe(200)
  })

  it('R71 refuses to compact a conversation, and calls no vendor', async () => {
    const { upstream, table } = await counting(200)
    const site = await open(table)
    const compact = (key: string | null) =>
      site.send('/responses/compact', { method: 'POST', body: { model: 'native', input: 'Hello!' }, key })
    const refused = await compact('good-key')
    expect([refused.status, (refused.json as Loose).error]).toEqual([
      400,
      {
        message: expect.stringContaining('This gateway does not compact conversations.'),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    ])
    expect((await compact(null)).status).toBe(401)
    expect((await compact('narrow-key')).status).toBe(403)
    const get = await site.send('/responses/compact', { method: 'GET' })
    expect([get.status, get.headers.allow]).toEqual([405, 'POST'])
    expect(upstream.requests).toHaveLength(0)
  })
})
