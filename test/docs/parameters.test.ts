import { join } from 'node:path'
import {
  type ChatRequest,
  createGateway,
  type Gateway,
  GatewayError,
  models,
  type UnsupportedParameters,
} from '@sluice/core'
import type { Call } from '@sluice/core/provider'
import * as providers from '@sluice/providers'
import { type RecordedRequest, startUpstream, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { adjustmentHeaders } from '../../packages/core/src/observability/adjustments.ts'
import { contentTable } from './parameters/content-table.ts'
import { parameters, parameterTable } from './parameters/parameter-table.ts'
import { providerFieldsTable } from './parameters/provider-fields-table.ts'
import { requestExtensionsTable } from './parameters/request-extensions-table.ts'
import { restrictedFieldsTable } from './parameters/restricted-fields-table.ts'
import { beside, samples } from './parameters/samples.ts'
import { compatibleVendors, type DocumentedVendor, ownVendors } from './parameters/vendors.ts'
import { describePage } from './runner/describe-page.ts'
import { readPage, root } from './runner/markdown.ts'

const page = 'docs/parameters.md'
const own = ownVendors()
const compatible = compatibleVendors()

it('shows the tables as the code makes them (vitest run -u writes them)', async () => {
  const tables: Record<string, string> = {
    'own parameters': parameterTable(own),
    'compatible parameters': parameterTable(compatible),
    'restricted fields': restrictedFieldsTable(),
    'own contents': await contentTable('own'),
    'compatible contents': await contentTable('compatible'),
    'request extensions': requestExtensionsTable(),
    'provider fields': providerFieldsTable(),
  }
  const written: string[] = []
  const text = readPage(page).replaceAll(
    /(<!-- table: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      written.push(name)
      return `${begin}\n${tables[name]}\n\n${end}`
    },
  )
  expect(written).toEqual(Object.keys(tables))
  await expect(text).toMatchFileSnapshot(join(root, page))
})

interface Asked {
  /** All of the request that goes out, as text. */
  readonly sent: string
  readonly adjustments: readonly string[]
}

/** What a vendor's provider makes of a request with these fields. */
async function asked(
  { vendor, model, capabilities }: DocumentedVendor,
  fields: Partial<ChatRequest>,
  unsupportedParameters: UnsupportedParameters = 'refuse',
): Promise<Asked> {
  const target = vendor(model, capabilities)
  const call: Call = {
    input: { model: 'public', messages: [{ role: 'user', content: 'Hello' }], ...fields },
    model: target.model,
    unsupportedParameters,
    ...(target.capabilities === undefined ? {} : { capabilities: target.capabilities }),
  }
  const { url, headers, body, adjustments = [] } = await target.provider.encode(call)
  return {
    sent: JSON.stringify({ url, headers, body: JSON.parse(String(body)) }),
    adjustments: adjustments.map(({ parameter, action }) => `${parameter} ${action}`),
  }
}

async function refusalOf(asking: Promise<Asked>): Promise<GatewayError | undefined> {
  const error = await asking.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error === undefined || GatewayError.is(error)) return error
  throw error
}

describe.each([...own, ...compatible].map(vendor => [vendor.name, vendor] as const))(
  '%s',
  (_, documented) => {
    it.each(parameters)('does with %s what the table says', async parameter => {
      const { handling, as } = documented.rules[parameter]
      const vendor = { ...documented, model: documented.models?.[parameter] ?? documented.model }
      const value = documented.samples?.[parameter] ?? samples[parameter]
      const around = handling === 'passed' || handling === 'mapped' ? (beside[parameter] ?? {}) : {}
      const fields = { ...around, [parameter]: value }
      const without = await asked(vendor, around)
      if (handling === 'refused') {
        expect(await refusalOf(asked(vendor, fields))).toMatchObject({
          status: 400,
          code: 'unsupported_parameter',
          param: parameter,
        })
      }
      const made = await asked(vendor, fields, handling === 'refused' ? 'drop' : 'refuse')
      const told = made.adjustments.filter(adjustment => !without.adjustments.includes(adjustment))
      switch (handling) {
        case 'refused':
        case 'dropped':
          expect(told).toEqual([`${parameter} dropped`])
          expect(made.sent).toBe(without.sent)
          break
        case 'mapped':
          expect(told).not.toContain(`${parameter} dropped`)
          expect(made.sent).not.toBe(without.sent)
          break
        case 'passed':
          expect(told).not.toContain(`${parameter} dropped`)
          expect(made.sent).not.toBe(without.sent)
          if (typeof value === 'number' || (typeof value === 'string' && parameter !== 'tool_choice'))
            expect(made.sent).toContain(JSON.stringify(value))
          if (vendor.compatible && parameter !== 'tool_choice')
            expect(JSON.parse(made.sent).body[as ?? parameter]).toEqual(value)
      }
    })
  },
)

it('shows a header as it is', async () => {
  const { provider, model } = providers.anthropic({ apiKey: 'k' })('claude-sonnet-4-20250514')
  const { adjustments = [] } = await provider.encode({
    input: {
      model: 'public',
      messages: [{ role: 'user', content: 'Hello' }],
      seed: 7,
      reasoning_effort: 'medium',
    },
    model,
  })
  const [[name, value] = []] = Object.entries(adjustmentHeaders(adjustments))
  expect(readPage(page)).toContain(`\n${name}: ${value}\n`)
})

it('shows a citation as it is', async () => {
  const text = 'The tide turns twice a day.'
  const place = { document_index: 0, document_title: 'tides.pdf', start_page_number: 3, end_page_number: 4 }
  const cited = [{ type: 'page_location', cited_text: text, ...place }]
  const upstream = await startUpstream(
    steps.reply({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text, citations: cited }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  )
  const claude = providers.anthropic({ apiKey: 'k', baseURL: upstream.url })
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ demo: claude('claude-sonnet-4-20250514') }),
  })
  const file = { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'tides.pdf' }
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: [{ type: 'file', file, citations: { enabled: true } }] }],
    }),
  })
  const { choices } = (await response.json()) as { choices: [{ message: object }] }
  const [, shown = ''] = /### Citations[\s\S]*?```json\n([\s\S]*?)```/.exec(readPage(page)) ?? []
  expect(choices[0].message).toMatchObject({ content: text, citations: [JSON.parse(shown)], annotations: [] })
  expect(upstream.requests[0]?.json?.messages).toMatchObject([
    { content: [{ citations: { enabled: true } }] },
  ])
  await gateway.close()
  await upstream.close()
})

const answer = (message: object, finish_reason = 'stop') =>
  steps.reply({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }] })

describePage(page, {
  adjusted: async ({ run }) => {
    const upstream = await startUpstream(answer({ content: 'Hi.' }))
    const running = await run({ GROQ_BASE_URL: upstream.baseURL })
    const gateway = running.exports.gateway as Gateway
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: '{"model":"fast","logprobs":true,"store":true,"messages":[{"role":"user","content":"Hi"}]}',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-sluice-adjustments')).toBe(
      '"logprobs";action=dropped, "store";action=dropped',
    )
    expect(running.printed).toEqual(['fast logprobs dropped', 'fast store dropped'])
    expect(upstream.requests[0]?.json).not.toHaveProperty('logprobs')
    await gateway.close()
    await upstream.close()
  },

  accepts: async ({ run }) => {
    const upstream = await startUpstream()
    const running = await run({
      OPENROUTER_API_KEY: 'k',
      OPENROUTER_BASE_URL: upstream.baseURL,
      OURS_BASE_URL: upstream.baseURL,
    })
    const gateway = running.exports.gateway as Gateway
    const statusOf = async (model: string, fields: object) => {
      const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], ...fields }),
      })
      await response.text()
      return response.status
    }
    const video = { type: 'video_url', video_url: { url: 'https://host.example/a.mp4' } }
    const document = { type: 'document_url', document_url: 'https://host.example/a.pdf' }
    const search = { tools: [{ type: 'openrouter:web_search' }] }
    expect(await statusOf('eyes', { messages: [{ role: 'user', content: [video] }] })).toBe(200)
    expect(await statusOf('eyes', { messages: [{ role: 'user', content: [document] }] })).toBe(400)
    expect(await statusOf('eyes', search)).toBe(400)
    expect(await statusOf('routed', search)).toBe(200)
    expect(upstream.requests).toHaveLength(2)
    await gateway.close()
    await upstream.close()
  },

  'allow-fields': async ({ run }) => {
    const upstream = await startUpstream()
    const running = await run({
      OPENROUTER_API_KEY: 'k',
      OPENROUTER_BASE_URL: upstream.baseURL,
      OURS_BASE_URL: upstream.baseURL,
    })
    const gateway = running.exports.gateway as Gateway
    const statusOf = async (model: string, fields: object) => {
      const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], ...fields }),
      })
      await response.text()
      return response.status
    }
    expect(await statusOf('small', { transforms: [] })).toBe(200)
    expect(await statusOf('small', { provider: {} })).toBe(400)
    expect(await statusOf('routed', { provider: {} })).toBe(200)
    expect(await statusOf('routed', { models: ['vendor/large'] })).toBe(400)
    expect(await statusOf('ours', { adapter: 'x' })).toBe(400)
    expect(await statusOf('ours', { models: ['x'] })).toBe(200)
    expect(upstream.requests).toHaveLength(3)
    await gateway.close()
    await upstream.close()
  },

  reasoning: async ({ run }) => {
    const said = (content: readonly object[], stop_reason: string) =>
      steps.reply({
        type: 'message',
        role: 'assistant',
        content,
        stop_reason,
        usage: { input_tokens: 1, output_tokens: 1 },
      })
    const thought = { type: 'thinking', thinking: 'I look.', signature: 'c2lnbmVk' }
    const use = { type: 'tool_use', id: 'toolu_1', name: 'today', input: {} }
    const upstream = await startUpstream(
      said([thought, use], 'tool_use'),
      said([{ type: 'text', text: 'It is Friday.' }], 'end_turn'),
    )
    const running = await run({ ANTHROPIC_BASE_URL: `${upstream.url}/v1` })
    expect(running.printed).toEqual(['It is Friday.'])
    const [, second] = upstream.requests as readonly [RecordedRequest, RecordedRequest]
    expect(second.json?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [thought, use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Friday' }] },
    ])
    await upstream.close()
  },
})
