import { existsSync, readFileSync } from 'node:fs'
import { createGateway, models } from '@sluice/core'
import type { ProviderInstance } from '@sluice/providers'
import {
  azure,
  cerebras,
  groq,
  llamacpp,
  openai,
  openaiCompatible,
  openrouter,
  perplexity,
  vllm,
  xai,
} from '@sluice/providers'
import { type Script, startUpstream, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = new URL('../../../../../shared/fixtures/', import.meta.url)
const present = existsSync(root)
if (!present) console.warn(`Skipped: the recordings of vendors are not there (${root}).`)

type Json = Readonly<Record<string, unknown>>
interface Level extends Json {
  readonly provider_specific_fields?: Json
}
/** A complete answer or an event. */
interface Answer extends Level {
  readonly choices: readonly (Level & { readonly message?: Level; readonly delta?: Level })[]
  readonly usage?: Level | null
}

type Options = { readonly apiKey: string; readonly baseURL: string; readonly providerFields?: false }

const vendors = {
  openai: options => openai(options),
  azure: options => azure({ ...options, baseURL: options.baseURL.replace('/v1', '') }),
  groq: options => groq(options),
  xai: options => xai(options),
  openrouter: options => openrouter(options),
  cerebras: options => cerebras(options),
  perplexity: options => perplexity(options),
  vllm: options => vllm(options),
  llamacpp: options => llamacpp(options),
} as const satisfies Record<string, (options: Options) => ProviderInstance>
type Vendor = keyof typeof vendors

/** What the vendor sent: complete answers, or the events of a stream. */
function recorded(name: string): { script: Script; streamed: boolean; sent: Answer[] } {
  const text = readFileSync(new URL(name, root), 'utf8')
  if (/\.(json|txt)$/.test(name)) {
    return { script: steps.reply(text), streamed: false, sent: [JSON.parse(text)] }
  }
  const lines = text.split(/\r?\n/).map(line => line.replace(/^data: ?/, ''))
  const sent = lines.filter(line => line.startsWith('{')).map(line => JSON.parse(line) as Answer)
  const body = name.endsWith('.sse')
    ? text
    : [...lines.filter(Boolean), '[DONE]'].map(line => `data: ${line}\n\n`).join('')
  return { script: steps.stream([body]), streamed: true, sent }
}

/** A gateway in front of a vendor that answers with these scripts. */
async function serving(of: (options: Options) => ProviderInstance, ...scripts: [Script, ...Script[]]) {
  const upstream = await startUpstream(...scripts)
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: of({ apiKey: 'sk-upstream', baseURL: upstream.baseURL })('upstream-model') }),
    retry: false,
    breaker: false,
  })
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1 })
    await upstream.close()
  })
  const fetch = (url: string | URL | Request, init?: RequestInit) => gateway.fetch(new Request(url, init))
  const post = async (body: object = {}) => {
    const response = await fetch('http://gateway/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }], ...body }),
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return text
  }
  /** The complete answer as the only one, or the events of a stream. */
  const answers = async (streamed: boolean): Promise<Answer[]> => {
    const asked = streamed ? { stream: true, stream_options: { include_usage: true } } : {}
    const text = await post(asked)
    if (!streamed) return [JSON.parse(text)]
    const events = text.split('\n\n').filter(event => event.startsWith('data: {'))
    return events.map(event => JSON.parse(event.slice(6)))
  }
  const client = new OpenAI({ apiKey: 'none', baseURL: 'http://gateway/v1', fetch, maxRetries: 0 })
  return { post, answers, client }
}

const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello!' }] }

/** What the answers hold at a level, in their order. */
const bags = {
  response: (answers: readonly Answer[]) => answers.flatMap(bagOf),
  choice: (answers: readonly Answer[]) => answers.flatMap(({ choices }) => choices.flatMap(bagOf)),
  message: (answers: readonly Answer[]) =>
    answers.flatMap(({ choices }) => choices.flatMap(({ message, delta }) => bagOf(message ?? delta))),
  usage: (answers: readonly Answer[]) => answers.flatMap(({ usage }) => bagOf(usage)),
}
type LevelName = keyof typeof bags

function bagOf(level: Level | null | undefined): readonly Json[] {
  const bag = level?.provider_specific_fields
  return bag === undefined ? [] : [bag]
}

/** The last value of a field among what arrived, by its name. */
const merged = (found: readonly Json[]): Json => Object.assign({}, ...found)

describe.skipIf(!present)('what a vendor adds, from its recorded traffic', () => {
  it.each<[name: string, expected: { [Level in LevelName]?: Json }]>([
    [
      'perplexity/text-stream.sse',
      {
        response: { citations: expect.any(Array), search_results: expect.any(Array) },
        usage: { cost: expect.objectContaining({ request_cost: 0.005 }), search_context_size: 'low' },
      },
    ],
    [
      'openrouter/length.json',
      {
        response: { provider: expect.any(String) },
        choice: { native_finish_reason: expect.any(String) },
        usage: { cost: expect.any(Number), cost_details: expect.any(Object) },
      },
    ],
    [
      'openrouter/text-stream.sse',
      {
        response: { provider: expect.any(String) },
        choice: { native_finish_reason: expect.any(String) },
        usage: { cost: expect.any(Number) },
      },
    ],
    [
      'azure/text.json',
      { response: { prompt_filter_results: expect.any(Array) }, choice: { content_filter_results: hate() } },
    ],
    ['azure/content-filter-finish.json', { choice: { content_filter_results: expect.any(Object) } }],
    [
      'azure/text-stream.sse',
      { response: { prompt_filter_results: expect.any(Array) }, choice: { content_filter_results: hate() } },
    ],
    [
      'azure/tool-call-stream.sse',
      { usage: { prompt_tokens_details: { text_tokens: 205, image_tokens: 0 } } },
    ],
    [
      'groq/aisdk-groq-reasoning.json',
      { response: { x_groq: { id: expect.any(String), seed: expect.any(Number) } } },
    ],
    ['groq/text-stream.sse', { response: { x_groq: expect.objectContaining({ id: expect.any(String) }) } }],
    [
      'groq/compound-executed-tools-stream.sse',
      { message: { executed_tools: expect.any(Array) }, response: { x_groq: expect.any(Object) } },
    ],
    [
      'llamacpp/text.json',
      { response: { timings: expect.objectContaining({ predicted_n: expect.any(Number) }) } },
    ],
    ['llamacpp/text-stream.sse', { response: { timings: expect.any(Object) } }],
    [
      'xai/aisdk-xai-tool-call.json',
      {
        usage: {
          prompt_tokens_details: { text_tokens: 291, image_tokens: 0 },
          num_sources_used: 0,
          cost_in_usd_ticks: expect.any(Number),
        },
      },
    ],
    [
      'openai/audio-in.json',
      {
        usage: {
          prompt_tokens_details: { text_tokens: 16, image_tokens: 0 },
          completion_tokens_details: { text_tokens: expect.any(Number) },
        },
      },
    ],
    ['openai/moderation-stream.sse', { response: { moderation: expect.any(Object) } }],
    ['cerebras/text.json', { response: { time_info: expect.any(Object) } }],
  ])('%s', async (name, expected) => {
    const { script, streamed, sent } = recorded(name)
    const { answers } = await serving(vendors[name.split('/')[0] as Vendor], script)
    const told = await answers(streamed)
    for (const level of ['response', 'choice', 'message', 'usage'] as const) {
      const found = merged(bags[level](told))
      if (expected[level] === undefined) continue
      expect(found, level).toMatchObject(expected[level])
      // No field has another value than the vendor's.
      for (const [field, value] of Object.entries(found)) {
        const values = valuesOf(sent, level)
          .map(from => from?.[field])
          .filter(given => given != null)
        expect(values, field).toContainEqual(
          typeof value === 'object' ? expect.objectContaining(value!) : value,
        )
      }
    }
  })

  it.each([
    'perplexity/text-stream.sse',
    'openrouter/text-stream.sse',
    'openrouter/length.json',
    'azure/text-stream.sse',
    'azure/text.json',
    'groq/text-stream.sse',
    'groq/text.json',
    'llamacpp/text-stream.sse',
    'llamacpp/text.json',
    'xai/aisdk-xai-tool-call.json',
    'openai/moderation-stream.sse',
  ])('%s is read by the official client, and has nothing of it with providerFields: false', async name => {
    const { script, streamed } = recorded(name)
    const make = vendors[name.split('/')[0] as Vendor]
    const plain = await serving(options => make({ ...options, providerFields: false }), script)
    const without = await plain.answers(streamed)
    expect(JSON.stringify(without)).not.toContain('provider_specific_fields')

    const { client } = await serving(make, script)
    const { choices } = streamed
      ? await client.chat.completions.stream(ask).finalChatCompletion()
      : await client.chat.completions.create(ask)
    const text = without
      .map(({ choices }) => (choices[0]?.delta ?? choices[0]?.message)?.content ?? '')
      .join('')
    expect(choices[0]?.message.content ?? '').toBe(text)
  })

  it('has the fields of each choice and usage only where the vendor has them', async () => {
    const { script } = recorded('openrouter/length.json')
    const { answers } = await serving(vendors.openrouter, script)
    const [answer] = await answers(false)
    // Whose account is charged at the vendor is nobody else's business.
    expect(JSON.stringify(answer)).not.toContain('is_byok')
    expect(Object.keys(answer!.provider_specific_fields!)).toEqual(['provider'])
  })

  it.each(['perplexity/text-stream.sse', 'openrouter/text-stream.sse', 'openrouter/thinking-stream.sse'])(
    '%s: a field that each event repeats comes once',
    async name => {
      const { script, sent } = recorded(name)
      const { answers } = await serving(vendors[name.split('/')[0] as Vendor], script)
      const found = bags.response(await answers(true))
      expect(sent.length).toBeGreaterThan(2)
      expect(found).toHaveLength(1)
    },
  )
})

function hate() {
  return expect.objectContaining({ hate: { filtered: false, severity: 'safe' } })
}

function valuesOf(sent: readonly Answer[], level: LevelName): readonly (Json | null | undefined)[] {
  if (level === 'response') return sent
  if (level === 'usage') return sent.map(({ usage, x_groq }) => usage ?? (x_groq as Answer)?.usage)
  const choices = sent.flatMap(({ choices }) => choices)
  return level === 'choice' ? choices : choices.map(({ message, delta }) => message ?? delta)
}

const choice = { index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }
const answer = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice] }
const event = (content: string, more: object = {}, ofChoice: object = {}) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: null, ...ofChoice }],
    ...more,
  })}\n\n`
const stopEvent = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

const declared = {
  response: ['trace', 'group.a'],
  choice: ['filter'],
  message: ['tools'],
  usage: ['cost', 'prompt_tokens_details.image_tokens'],
} as const
const acme = ({ baseURL }: Options) => openaiCompatible({ name: 'acme', baseURL, providerFields: declared })

describe('the declared fields of a server', () => {
  it('are the only ones that pass', async () => {
    const more = {
      trace: 7,
      group: { a: [1], b: 2 },
      host: 'http://10.0.0.1',
      account_id: 'acct_1',
      choices: [
        {
          ...choice,
          filter: { safe: true },
          node: 'gpu-7',
          message: { ...choice.message, tools: ['x'], secret: 'sk-1' },
        },
      ],
      usage: {
        prompt_tokens: 1,
        completion_tokens: 1,
        cost: 0.25,
        key: 'sk-2',
        prompt_tokens_details: { cached_tokens: 0, image_tokens: 3, other: 4 },
      },
    }
    const { answers } = await serving(acme, steps.reply({ ...answer, ...more }))
    // The second is of the same form, and may be read by a template.
    for (let nth = 0; nth < 3; nth++) {
      const [told] = await answers(false)
      expect(told).toMatchObject({ provider_specific_fields: { trace: 7, group: { a: [1] } } })
      expect(told?.choices[0]?.provider_specific_fields).toEqual({ filter: { safe: true } })
      expect(told?.choices[0]?.message?.provider_specific_fields).toEqual({ tools: ['x'] })
      expect(told?.usage?.provider_specific_fields).toEqual({
        cost: 0.25,
        prompt_tokens_details: { image_tokens: 3 },
      })
      expect(JSON.stringify(told)).not.toMatch(/10\.0\.0\.1|acct_1|gpu-7|sk-|"b"|other/)
    }
  })

  it('are in the stream of a server that answers with one JSON body', async () => {
    const choices = [{ ...choice, filter: 'x', message: { ...choice.message, tools: ['y'] } }]
    const usage = { prompt_tokens: 1, completion_tokens: 1, cost: 2 }
    const { answers } = await serving(acme, steps.reply({ ...answer, choices, usage, trace: 7 }))
    const told = await answers(true)
    expect(merged(bags.response(told))).toEqual({ trace: 7 })
    expect(merged(bags.choice(told))).toEqual({ filter: 'x' })
    expect(merged(bags.message(told))).toEqual({ tools: ['y'] })
    expect(merged(bags.usage(told))).toEqual({ cost: 2 })
  })

  it('are not read from an error, whole or in a stream', async () => {
    const error = { error: { message: 'no', code: 500 }, trace: 'http://10.0.0.1' }
    const { client } = await serving(acme, steps.reply(error, { status: 500 }))
    await expect(client.chat.completions.create(ask)).rejects.toThrow(expect.not.stringContaining('10.0.0'))
    const late = await serving(acme, steps.stream([event('a'), `data: ${JSON.stringify(error)}\n\n`]))
    expect(await late.post({ stream: true })).not.toContain('10.0.0')
  })

  it('differ between answers that are alike otherwise', async () => {
    const scripts = [1, 2, 3, 4].map(nth =>
      steps.reply({
        ...answer,
        trace: nth,
        usage: { prompt_tokens: 1, completion_tokens: nth, cost: 10 * nth },
      }),
    ) as [Script, ...Script[]]
    const { answers } = await serving(acme, ...scripts)
    for (const nth of [1, 2, 3, 4]) {
      const [told] = await answers(false)
      expect(told).toMatchObject({
        provider_specific_fields: { trace: nth },
        usage: { completion_tokens: nth, provider_specific_fields: { cost: 10 * nth } },
      })
    }
  })

  it('come again in a stream only with another value, also among many alike events', async () => {
    const a = { filter: 'a' }
    const b = { filter: 'b' }
    const body = [a, a, a, a, b, a, a, a].map((of, nth) => event(`t${nth}`, { trace: 1 }, of)).join('')
    const { answers } = await serving(acme, steps.stream([body + stopEvent]))
    const told = await answers(true)
    const filters = told.flatMap(({ choices }) =>
      choices
        .filter(({ delta }) => delta?.content)
        .map(({ provider_specific_fields }) => provider_specific_fields?.filter),
    )
    expect(filters).toEqual(['a', undefined, undefined, undefined, 'b', 'a', undefined, undefined])
    expect(bags.response(told)).toEqual([{ trace: 1 }])
  })

  it('are dropped whole where they are too large, and others stay', async () => {
    const large = 'x'.repeat(65_536)
    const { answers } = await serving(acme, steps.reply({ ...answer, trace: large, group: { a: 1 } }))
    expect((await answers(false))[0]?.provider_specific_fields).toEqual({ group: { a: 1 } })
    const streamed = await serving(
      acme,
      steps.stream([event('a', { trace: large, group: { a: 1 } }) + stopEvent]),
    )
    expect(bags.response(await streamed.answers(true))).toEqual([{ group: { a: 1 } }])
  })

  it('take at most 1 MiB of a stream', async () => {
    const body = Array.from({ length: 40 }, (_, nth) =>
      event('a', { trace: `${nth}${'x'.repeat(60_000)}` }),
    ).join('')
    const { post } = await serving(acme, steps.stream([body + stopEvent]))
    const text = await post({ stream: true })
    expect(text.length).toBeGreaterThan(900_000)
    expect(text.length).toBeLessThan(1_100_000)
    expect(text).toContain('[DONE]')
  })

  it.each(['__proto__', 'constructor', 'a.__proto__'])('never hold a key %s', async path => {
    const keys = path.split('.').reverse()
    const inner = keys.reduce((value, key) => `{${JSON.stringify(key)}:${value}}`, '{"polluted":true}')
    const body = JSON.stringify({ ...answer, group: { a: 1 } }).replace(/}$/, `,"trace":${inner}}`)
    const { post } = await serving(acme, steps.reply(body))
    const text = await post()
    expect(text).not.toContain('polluted')
    expect(JSON.parse(text).provider_specific_fields).toEqual({ group: { a: 1 } })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([
    [true, 'providerFields'],
    [['cost'], 'providerFields'],
    [{ answer: ['cost'] }, 'providerFields.answer'],
    [{ usage: 'cost' }, 'providerFields.usage'],
    [{ usage: [''] }, 'providerFields.usage[0]'],
    [{ usage: ['cost', 7] }, 'providerFields.usage[1]'],
    [{ usage: ['__proto__'] }, 'providerFields.usage[0]'],
    [{ response: ['a.constructor.b'] }, 'providerFields.response[0]'],
    [{ response: ['a..b'] }, 'providerFields.response[0]'],
  ])('are validated: %j', (providerFields, path) => {
    const options = { name: 'acme', baseURL: 'http://127.0.0.1/v1', providerFields } as never
    expect(() => openaiCompatible(options)).toThrow(`acme(): ${path}`)
    expect(() => groq({ apiKey: 'k', providerFields } as never)).toThrow(`groq(): ${path}`)
    expect(() => azure({ resource: 'r', apiKey: 'k', providerFields } as never)).toThrow(`azure(): ${path}`)
  })
})

describe('sources that a text cites by number', () => {
  const citations = ['https://a.example/1', 'https://b.example/2', 'javascript:alert(1)']
  const search_results = [{ title: 'A', url: citations[0] }, { url: citations[1] }]
  const content = 'Paris 🗼[1] is a city[2][1]. Not [3], [4], [0], [x] or [12'
  const at = (start: number, url: string, title: string) => ({
    type: 'url_citation',
    url_citation: { start_index: start, end_index: start + 3, url, title },
  })
  const expected = [
    at(8, citations[0]!, 'A'),
    at(21, citations[1]!, citations[1]!),
    at(24, citations[0]!, 'A'),
  ]

  it.each([[{ citations, search_results }], [{ search_results }]])(
    'are annotations with the position of the number: %j',
    async more => {
      const choices = [{ ...choice, message: { role: 'assistant', content } }]
      const { client } = await serving(vendors.perplexity, steps.reply({ ...answer, choices, ...more }))
      for (let nth = 0; nth < 2; nth++) {
        const { message } = (await client.chat.completions.create(ask)).choices[0]!
        expect(message.annotations).toEqual(expected)
      }
    },
  )

  it('are annotations also where a stream divides the number', async () => {
    for (const size of [1, 2, 3, 5, 100]) {
      const pieces = content.match(new RegExp(`[^]{1,${size}}`, 'gu'))!
      const body = pieces.map(piece => event(piece, { citations, search_results })).join('')
      const last = event('', { citations, search_results }, { finish_reason: 'stop' })
      const { answers } = await serving(vendors.perplexity, steps.stream([body + last]))
      const told = await answers(true)
      const annotations = told.flatMap(({ choices }) =>
        choices.flatMap(({ delta }) => delta?.annotations ?? []),
      )
      expect(annotations).toEqual(expected)
      expect(told.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe(content)
    }
  })

  it('are too many where they would multiply what the vendor sent', async () => {
    const long = [`https://a.example/${'x'.repeat(60_000)}`]
    const choices = [{ ...choice, message: { role: 'assistant', content: '[1]'.repeat(1_000) } }]
    const { client } = await serving(vendors.perplexity, steps.reply({ ...answer, choices, citations: long }))
    await expect(client.chat.completions.create(ask)).rejects.toMatchObject({ status: 502 })
  })

  it('are too many for all choices together, and after the end of one', async () => {
    const long = [`https://a.example/${'x'.repeat(60_000)}`]
    const message = { role: 'assistant', content: '[1]'.repeat(20) }
    const choices = [0, 1, 2].map(index => ({ ...choice, index, message }))
    const { client } = await serving(vendors.perplexity, steps.reply({ ...answer, choices, citations: long }))
    await expect(client.chat.completions.create(ask)).rejects.toMatchObject({ status: 502 })
    const first = event('a', { citations: long }, { finish_reason: 'stop' })
    const { post } = await serving(vendors.perplexity, steps.stream([first + event('[1]').repeat(500)]))
    const sent = await post({ stream: true })
    expect(sent.length).toBeLessThan(6_000_000)
    expect(sent).toContain('"error"')
    expect(sent).not.toContain('[DONE]')
  })
})
