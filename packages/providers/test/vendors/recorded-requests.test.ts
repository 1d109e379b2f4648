import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type ChatRequest,
  createGateway,
  type Principal,
  type Target,
  type UnsupportedParameters,
  UpstreamError,
} from '@sluice/core'
import type { RequestExtension, UpstreamRequest } from '@sluice/core/provider'
import {
  azure,
  cerebras,
  deepseek,
  groq,
  llamacpp,
  mistral,
  ollama,
  openai,
  openaiCompatible,
  openrouter,
  together,
  vllm,
  xai,
} from '@sluice/providers'
import { completion } from '@sluice/testing'
import { describe, expect, it } from 'vitest'

const apiKey = 'sk-upstream'
const baseURL = 'http://127.0.0.1:9/v1'
const presets: Readonly<Record<string, (model: string) => Target>> = {
  azure: azure({ apiKey, resource: 'ours' }),
  cerebras: cerebras({ apiKey }),
  deepseek: deepseek({ apiKey }),
  groq: groq({ apiKey }),
  llamacpp: llamacpp(),
  mistral: mistral({ apiKey }),
  ollama: ollama(),
  openai: openai({ apiKey }),
  openrouter: openrouter({ apiKey }),
  together: together({ apiKey }),
  vllm: vllm(),
  xai: xai({ apiKey }),
}

/** A server without a preset. */
const custom = (...accepts: RequestExtension[]) => openaiCompatible({ name: 'custom', baseURL, accepts })

interface Sent {
  readonly status: number
  readonly adjustments: string | null
  readonly answer: string
  /** The body that the vendor got. */
  readonly body: Partial<ChatRequest> | undefined
}

/** Sends a request through a gateway to a vendor that answers everything. */
async function sendTo(
  target: Target,
  request: object,
  principal: Principal = { id: 'ann' },
  unsupportedParameters: UnsupportedParameters = 'refuse',
): Promise<Sent> {
  let sent: UpstreamRequest | undefined
  const bytes = new TextEncoder().encode(JSON.stringify(completion({ choices: [{ text: 'Hello.' }] })))
  const gateway = createGateway({
    authenticate: () => principal,
    route: () => [target],
    unsupportedParameters,
    transport: async made => {
      sent = made
      const body = (async function* () {
        yield bytes
      })()
      return { status: 200, headers: new Headers({ 'content-type': 'application/json' }), body }
    },
  })
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  const body = sent?.body === undefined ? undefined : JSON.parse(String(sent.body))
  const adjustments = response.headers.get('x-sluice-adjustments')
  return { status: response.status, adjustments, answer: await response.text(), body }
}

const root = resolve(import.meta.dirname, '../../../../../shared/fixtures')
const isPresent = existsSync(root)
if (!isPresent) console.warn(`Skipped: the recordings of vendors are not there (${root}).`)
/** Vendors with protocols of their own. */
const otherProtocols = ['anthropic', 'bedrock', 'gemini', 'vertex']

/** The recorded requests to chat-completions vendors that answered 200. */
function answeredRequests(): readonly (readonly [file: string, vendor: string, body: ChatRequest])[] {
  if (!isPresent) return []
  const vendors = readdirSync(root, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && !otherProtocols.includes(entry.name),
  )
  return vendors.flatMap(({ name: vendor }) => {
    const files = readdirSync(join(root, vendor))
    return files
      .filter(file => file.endsWith('.request.json'))
      .filter(file => {
        const stem = file.replace(/request\.json$/, '')
        return files.some(other => other.startsWith(stem) && other !== file && !/\.\d{3}\.json$/.test(other))
      })
      .map(file => {
        const body: ChatRequest = JSON.parse(readFileSync(join(root, vendor, file), 'utf8'))
        return [`${vendor}/${file}`, vendor, body] as const
      })
  })
}

describe.skipIf(!isPresent)('recorded requests (skipped where ../shared/fixtures is absent)', () => {
  it('that their vendor answered are sent to it', async () => {
    const requests = answeredRequests()
    expect(requests.length).toBeGreaterThan(70)
    const refused: string[] = []
    for (const [file, vendor, recorded] of requests) {
      // The model is in the address of some vendors.
      const { stream, stream_options, model = 'm', ...body } = recorded
      const { status, answer } = await sendTo((presets[vendor] ?? custom())(model), { model, ...body })
      if (status !== 200) refused.push(`${file}: ${answer}`)
    }
    expect(refused).toEqual([])
  })
})

const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } }
const call = { id: 'D681PevKs', type: 'function', function: { name: 'add', arguments: '{}' } }
const image = { type: 'image_url', image_url: { url: 'https://host.example/a.png' } }
const question = { role: 'user', content: 'Add 2 and 3.' }
const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const afterCall = (content: unknown, made: object = call) => ({
  messages: [
    question,
    { role: 'assistant', content: '', tool_calls: [made] },
    { role: 'tool', tool_call_id: 'D681PevKs', content },
  ],
  tools: [tool],
})
const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Five.' }], closed: true }

/** Requests that vendors document, or have answered with 200. */
const documented: readonly (readonly [vendor: string, what: string, body: Partial<ChatRequest> | object])[] =
  [
    ['mistral', 'an image as a string', user({ type: 'image_url', image_url: 'https://host.example/a.png' })],
    ['mistral', 'audio as a string', user({ type: 'input_audio', input_audio: 'UklGRg==' })],
    ['mistral', 'a document', user({ type: 'document_url', document_url: 'https://host.example/a.pdf' })],
    ['mistral', 'a forced tool call', { messages: [question], tools: [tool], tool_choice: 'any' }],
    ['mistral', 'an image in a tool result', afterCall([{ type: 'text', text: '5' }, image])],
    ['mistral', 'thinking', { messages: [question, { role: 'assistant', content: [thinking] }, question] }],
    ['mistral', 'a tool without type', { messages: [question], tools: [{ function: tool.function }] }],
    ['mistral', 'a call without type', afterCall('5', { id: call.id, function: call.function })],
    ['groq', 'its default service tier', { messages: [question], service_tier: 'on_demand' }],
    [
      'groq',
      'its search',
      { messages: [question], tools: [{ type: 'browser_search' }], tool_choice: 'required' },
    ],
    ['openrouter', 'a video', user({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } })],
    ['openrouter', 'an image in a tool result', afterCall([image])],
    [
      'openrouter',
      'its search',
      { messages: [question], tools: [{ type: 'openrouter:web_search', parameters: { max_results: 3 } }] },
    ],
    [
      'openrouter',
      'its search, forced',
      {
        messages: [question],
        tools: [{ type: 'openrouter:web_search' }],
        tool_choice: { type: 'openrouter:web_search' },
      },
    ],
    ['vllm', 'a video', user({ type: 'video_url', video_url: { url: 'https://host.example/a.mp4' } })],
    ['vllm', 'audio by link', user({ type: 'audio_url', audio_url: { url: 'https://host.example/a.wav' } })],
    ['together', 'a video', user({ type: 'video_url', video_url: { url: 'https://host.example/a.mp4' } })],
    ['ollama', 'an image as a string', user({ type: 'image_url', image_url: 'data:image/png;base64,AAAA' })],
  ]

describe('what a vendor accepts beyond the protocol', () => {
  it.each(documented)('%s: %s is sent as it is', async (vendor, _, body) => {
    const { status, body: sent, answer } = await sendTo(presets[vendor]!('m'), { model: 'm', ...body })
    expect([status, status === 200 ? '' : answer]).toEqual([200, ''])
    expect(sent).toMatchObject(body)
  })

  it.each(documented)('%s: %s is refused for a vendor that does not', async (_, __, body) => {
    for (const target of [openai({ apiKey })('m'), custom()('m')]) {
      const { status, body: sent } = await sendTo(target, { model: 'm', ...body })
      expect([status, sent]).toEqual([400, undefined])
    }
  })

  it.each<readonly [what: string, body: object, sent: object, adjustments: string]>([
    [
      'a service tier',
      { messages: [question], service_tier: 'on_demand' },
      { messages: [question] },
      '"service_tier";action=dropped;detail="not supported by this vendor"',
    ],
    [
      'a forced tool call',
      { messages: [question], tools: [tool], tool_choice: 'any' },
      { messages: [question], tools: [tool], tool_choice: 'required' },
      '"tool_choice";action=mapped;detail="required"',
    ],
    [
      'a tool without type',
      { messages: [question], tools: [tool, { function: tool.function }] },
      { messages: [question], tools: [tool, tool] },
      '"tools[1].type";action=defaulted;detail="function"',
    ],
    [
      'a call without type',
      afterCall('5', { id: call.id, function: call.function }),
      afterCall('5'),
      '"messages[1].tool_calls[0].type";action=defaulted;detail="function"',
    ],
    [
      'a tool of a vendor',
      { messages: [question], tools: [{ type: 'browser_search' }, tool], tool_choice: 'auto' },
      { messages: [question], tools: [tool], tool_choice: 'auto' },
      '"tools[0]";action=dropped;detail="not supported by this vendor"',
    ],
    [
      'several of them',
      {
        messages: [question],
        tools: [{ type: 'browser_search' }, { function: tool.function }],
        tool_choice: 'any',
      },
      { messages: [question], tools: [tool], tool_choice: 'required' },
      '"tool_choice";action=mapped;detail="required", "tools[1].type";action=defaulted;detail="function", "tools[0]";action=dropped;detail="not supported by this vendor"',
    ],
    [
      'the only tool, and what needs one',
      {
        messages: [question],
        tools: [{ type: 'browser_search' }],
        tool_choice: 'required',
        parallel_tool_calls: false,
      },
      { messages: [question] },
      '"tools[0]";action=dropped;detail="not supported by this vendor", "tool_choice";action=dropped;detail="not supported by this vendor", "parallel_tool_calls";action=dropped;detail="not supported by this vendor"',
    ],
    [
      'thinking',
      {
        messages: [
          question,
          { role: 'assistant', content: [thinking, { type: 'text', text: '5' }] },
          question,
        ],
      },
      { messages: [question, { role: 'assistant', content: [{ type: 'text', text: '5' }] }, question] },
      '"messages[1].content[0]";action=dropped;detail="not supported by this vendor"',
    ],
    [
      'nothing but thinking',
      { messages: [question, { role: 'assistant', content: [thinking] }, question] },
      { messages: [question, { role: 'assistant', content: '' }, question] },
      '"messages[1].content[0]";action=dropped;detail="not supported by this vendor"',
    ],
  ])(
    'is dropped or mapped, and reported, with unsupportedParameters: drop: %s',
    async (_, body, expected, adjustments) => {
      for (const target of [
        openai({ apiKey })('m'),
        { ...openai({ apiKey })('m'), parameters: { temperature: 0 } },
      ]) {
        const sent = await sendTo(target, { model: 'm', ...body }, { id: 'ann' }, 'drop')
        const overridden = 'parameters' in target
        expect(sent.status).toBe(200)
        expect(sent.body).toEqual({ model: 'm', ...expected, ...(overridden && { temperature: 0 }) })
        expect(sent.adjustments).toBe(
          overridden ? `${adjustments}, "temperature";action=mapped;detail="0"` : adjustments,
        )
      }
    },
  )

  it('is refused with unsupportedParameters: drop, too, where it is media', async () => {
    const media = documented.filter(([, what]) => /image|audio|document|video/.test(what))
    expect(media.length).toBeGreaterThan(6)
    for (const [, , body] of media) {
      const refused = await sendTo(openai({ apiKey })('m'), { model: 'm', ...body }, { id: 'ann' }, 'drop')
      expect([refused.status, refused.body]).toEqual([400, undefined])
    }
  })

  it('never reaches a fallback that does not accept it', async () => {
    const asked: string[] = []
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: () => [mistral({ apiKey })('first'), openai({ apiKey })('second')],
      traceHeader: () => true,
      transport: async ({ url }) => {
        asked.push(new URL(url).host)
        throw new UpstreamError('There is no vendor.', { kind: 'unreachable' })
      },
    })
    const ask = (body: object) =>
      gateway.fetch('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
      })
    const response = await ask({ messages: [question], tools: [tool], tool_choice: 'any' })
    expect(response.status).toBe(502)
    expect(new Set(asked)).toEqual(new Set(['api.mistral.ai']))
    expect(response.headers.get('x-sluice-trace')).toContain('unfit')
    asked.length = 0
    await ask({ messages: [question], tools: [tool], tool_choice: 'required' })
    expect(new Set(asked)).toEqual(new Set(['api.mistral.ai', 'api.openai.com']))
  })

  it('is declared for a server without a preset', async () => {
    const body = user({ type: 'file_url', file_url: { url: 'https://host.example/a.pdf' } })
    const { status, body: sent } = await sendTo(custom('file_url')('m'), { model: 'm', ...body })
    expect(status).toBe(200)
    expect(sent).toEqual({ model: 'm', ...body })
  })

  it('is not declared by default, and unknown names are errors', () => {
    expect(openaiCompatible({ name: 'acme', baseURL })('m').provider.accepts).toBeUndefined()
    const accepting = (accepts: unknown) => () =>
      openaiCompatible({ name: 'acme', baseURL, accepts: accepts as RequestExtension[] })
    expect(accepting(['video'])).toThrow("acme(): accepts[0]: got 'video'")
    expect(accepting('video_url')).toThrow(/acme\(\): accepts: got 'video_url', expected an array/)
    expect(accepting([1])).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
  })

  it.each(documented.filter(([, what]) => what.startsWith('its search')))(
    '%s: %s needs a permission where the usage of the caller is bounded',
    async (vendor, _, body) => {
      const bounded: Principal = { id: 'ann', models: ['m'] }
      const target = presets[vendor]!('m')
      const { status, body: sent, answer } = await sendTo(target, { model: 'm', ...body }, bounded)
      expect([status, sent]).toEqual([400, undefined])
      expect(JSON.parse(answer).error).toMatchObject({
        code: 'unsupported_parameter',
        param: 'tools[0].type',
      })
      const allowed = { ...target, allowFields: ['server_tools'] }
      expect((await sendTo(allowed, { model: 'm', ...body }, bounded)).status).toBe(200)
    },
  )

  it('restricts tools that a server runs, wherever they are accepted', () => {
    expect(custom()('m').provider.restrictedFields).not.toHaveProperty('server_tools')
    expect(custom('server_tools')('m').provider.restrictedFields).toHaveProperty('server_tools', 'paid')
    expect(presets.openrouter!('m').provider.restrictedFields).toHaveProperty('server_tools', 'paid')
    const allowing = openrouter({ apiKey, allowFields: ['server_tools'] })
    expect(allowing('m').provider.restrictedFields).not.toHaveProperty('server_tools')
    const none = openaiCompatible({
      name: 'none',
      baseURL,
      accepts: ['server_tools'],
      restrictedFields: {},
    })
    expect(none('m').provider.restrictedFields).toEqual({ server_tools: 'paid' })
  })
})
