import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeChatCompletions } from '../../src/chat-completions.ts'
import { cut, type Decoded, decodedBy, seeded } from '../decoded-recording.ts'

const root = resolve(import.meta.dirname, '../../../../../shared/fixtures')
const present = existsSync(root)
if (!present) console.warn(`Skipped: the recordings of vendors are not there (${root}).`)

const vendors = [
  'alibaba',
  'anthropic-openai-compat',
  'azure',
  'cerebras',
  'copilot',
  'deepseek',
  'doubleword',
  'gpustack',
  'groq',
  'huggingface',
  'llamacpp',
  'mistral',
  'mistralrs',
  'moonshot',
  'ollama',
  'openai',
  'openrouter',
  'perplexity',
  'snowflake',
  'together',
  'venice',
  'vllm',
  'xai',
  'zai',
]

interface Recording {
  readonly name: string
  readonly status: number
  readonly stream: boolean
  readonly bytes: Uint8Array
}

function recording(name: string): Recording {
  const path = resolve(root, name)
  const status = Number(/\.(\d{3})\.json$/.exec(name)?.[1] ?? 200)
  if (!name.endsWith('.jsonl'))
    return { name, status, stream: name.endsWith('.sse'), bytes: readFileSync(path) }
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
  const text = `${lines.map(line => `data: ${line}\n\n`).join('')}data: [DONE]\n\n`
  return { name, status, stream: true, bytes: new TextEncoder().encode(text) }
}

function recordings(): Recording[] {
  if (!present) return []
  return vendors.flatMap(vendor =>
    readdirSync(resolve(root, vendor))
      .filter(file => !file.includes('.request.'))
      .map(file => recording(`${vendor}/${file}`)),
  )
}

const decoded = (recording: Recording, body: Iterable<Uint8Array>) =>
  decodedBy(decodeChatCompletions, recording, body)

/** What an answer says in all, choice 0 only. */
function told({ completion, chunks = [] }: Decoded) {
  const said = { text: '', reasoning: '', tools: [] as string[], finish: [] as string[] }
  let usage = completion?.usage
  const parts = completion?.choices.map(({ message, ...rest }) => ({ ...rest, delta: message })) ?? []
  for (const chunk of chunks) {
    parts.push(...chunk.choices)
    usage = chunk.usage ?? usage
  }
  for (const { index, delta, finish_reason } of parts) {
    if (index !== 0) continue
    said.text += delta.content ?? ''
    said.reasoning += delta.reasoning_content ?? ''
    if (finish_reason != null) said.finish.push(finish_reason)
    for (const call of delta.tool_calls ?? []) {
      if (call.function?.name !== undefined) said.tools.push(`${call.function.name} `)
      said.tools[said.tools.length - 1] += call.function?.arguments ?? ''
    }
  }
  return {
    ...said,
    usage: [usage?.prompt_tokens, usage?.completion_tokens, usage?.cached_tokens, usage?.reasoning_tokens],
  }
}

describe.skipIf(!present)('recordings of vendors', () => {
  it.each(recordings().map(entry => [entry.name, entry] as const))(
    '%s reads the same however it is cut',
    async (_name, entry) => {
      const expected = await decoded(entry, [entry.bytes])
      if (entry.bytes.length < 150_000)
        expect(
          await decoded(
            entry,
            cut(entry.bytes, () => 1),
          ),
        ).toEqual(expected)
      for (let seed = 1; seed <= 4; seed++) {
        const random = seeded(seed)
        const longest = 10 ** seed
        const size = () => 1 + Math.floor(random() * longest)
        expect(await decoded(entry, cut(entry.bytes, size))).toEqual(expected)
      }
    },
  )

  it('is complete wherever no error was recorded', async () => {
    const failed: string[] = []
    for (const entry of recordings())
      if ((await decoded(entry, [entry.bytes])).failure !== undefined) failed.push(entry.name)
    expect(failed.filter(name => !/\.\d{3}\.json$/.test(name))).toEqual([
      'openai/aisdk-reasoning-model-legacy-parameter-error.json',
      'openrouter/error-mid-stream.sse',
    ])
    expect(failed).toHaveLength(recordings().filter(({ status }) => status !== 200).length + 2)
  })

  /** Read off the recordings: text (or its length), tools, finish reason, usage (prompt, completion, cached, reasoning). */
  it.each<
    [
      name: string,
      text: string | number,
      reasoning: number,
      tools: string[],
      finish: string[],
      usage: (number | undefined)[],
    ]
  >([
    ['openai/text-stream-usage.sse', '10 + 5 equals 15.', 0, [], ['stop'], [23, 8, 0, 0]],
    ['openai/text-stream-no-usage.sse', '1, 2, 3, 4, 5', 0, [], ['stop'], []],
    ['openai/moderation-stream.sse', 'Paris.', 0, [], ['stop'], [13, 11, 0, 0]],
    ['openai/n2-stream.sse', 277, 0, [], ['stop'], [26, 104, 0, 0]],
    ['openai/cache-hit.json', 1485, 0, [], ['stop'], [1149, 261, 1024, 0]],
    [
      'openai/tool-calls-parallel.json',
      '',
      0,
      ['get_current_weather {"location": "San Francisco"}', 'get_current_weather {"location": "Boston"}'],
      ['tool_calls'],
      [70, 46],
    ],
    [
      'openai/tool-calls-parallel-stream.sse',
      '',
      0,
      ['get_current_weather {"location": "San Francisco"}', 'get_current_weather {"location": "Boston"}'],
      ['tool_calls'],
      [],
    ],
    ['azure/tool-call-stream.sse', '', 0, ['best_language_to_learn {}'], ['tool_calls'], [205, 18, 159, 0]],
    [
      'azure/aisdk-azure-model-router.1.chunks.jsonl',
      'Capital of Denmark.',
      0,
      [],
      ['stop'],
      [15, 78, 0, 64],
    ],
    ['azure/content-filter-finish.json', '', 0, [], ['content_filter'], [15, 19]],
    ['deepseek/text-stream.sse', '1, 2, 3.', 0, [], ['stop'], [11, 8, 0]],
    [
      'deepseek/thinking-stream.sse',
      'Hello there! 😊 How can I help you today?',
      882,
      [],
      ['stop'],
      [6, 212, 0, 198],
    ],
    ['deepseek/thinking.json', '4', 42, [], ['stop'], [97, 17, 0, 15]],
    ['deepseek/length.json', '', 0, [], ['length'], [372, 12, 256]],
    [
      'deepseek/tool-calls-parallel-stream.sse',
      '',
      0,
      ['lookup_harbor_label {}', 'lookup_orchard_label {}'],
      ['tool_calls'],
      [404, 48, 0],
    ],
    ['groq/image-in.json', 'kiwi', 0, [], ['stop'], [1961, 3]],
    [
      'groq/tool-call-stream.sse',
      '',
      92,
      ['get_something_by_name {"name":"example"}'],
      ['tool_calls'],
      [304, 49, undefined, 23],
    ],
    [
      'groq/tool-calls-parallel-stream.sse',
      '',
      0,
      ['lookup_harbor_label ', 'lookup_orchard_label '],
      ['tool_calls'],
      [359, 35],
    ],
    ['groq/compound-executed-tools-stream.sse', 200, 6256, [], ['stop'], [5003, 359]],
    ['groq/aisdk-groq-tool-call.chunks.jsonl', '', 0, ['weather {}'], ['tool_calls'], [210, 15]],
    ['mistral/text-stream.sse', '1, 2, 3', 0, [], ['stop'], [22, 8, 0]],
    ['mistral/thinking-stream.sse', '144', 174, [], ['stop'], [31, 66, 0]],
    ['mistral/thinking.json', '5 + 3 equals 8.', 88, [], ['stop'], [23, 32, 0]],
    ['mistral/array-content-thinking-stream.sse', 607, 421, [], ['stop'], [10, 232]],
    ['mistral/n-stream.sse', 'c', 0, [], ['length'], [30, 2, 0]],
    [
      'mistral/tool-calls-parallel-stream.sse',
      '',
      0,
      ['lookup_harbor_label {}', 'lookup_orchard_label {}'],
      ['tool_calls'],
      [213, 16, 0],
    ],
    [
      'mistral/aisdk-mistral-tool-call.chunks.jsonl',
      '',
      0,
      ['weather {"location": "San Francisco"}'],
      ['tool_calls'],
      [124, 22],
    ],
    ['mistralrs/stream.sse', 176, 875, [], ['stop'], [41, 208]],
    ['openrouter/text-stream.sse', '1\n2\n3', 0, [], ['stop'], [15, 9, 0, 0]],
    ['openrouter/text.txt', '', 0, [], ['stop'], [633, 9, 0, 0]],
    [
      'openrouter/thinking-stream.sse',
      '',
      211,
      ['reasoning_weather {"city": "Berlin"}'],
      ['tool_calls'],
      [626, 106, 0, 54],
    ],
    [
      'openrouter/tool-calls-parallel-stream.sse',
      '',
      0,
      ['alpha {"value":"red"}', 'beta {"value":"blue"}'],
      ['tool_calls'],
      [88, 43, 0, 0],
    ],
    ['openrouter/length.json', 211, 0, [], ['length'], [2572, 100, 2240, 0]],
    ['perplexity/text-stream.sse', '1 2 3', 0, [], ['stop'], [8, 5]],
    ['snowflake/thinking-stream.sse', '4', 0, [], [], [22, 5, 0, 0]],
    ['snowflake/finish-reason-empty.json', '4', 0, [], [], [22, 5, 0, 0]],
    ['together/text.json', 115, 0, [], ['stop'], [18, 35]],
    ['venice/thinking-stream.sse', '', 75, [], ['length'], [5789, 16, 0]],
    ['vllm/vllm-stream.sse', '1, 2, 3, 4, 5', 0, [], ['stop'], [46, 14, 0]],
    ['vllm/chat.json', '<|im_end|>\n<|im_start|>user\n<|im', 0, [], ['length'], [57, 20]],
    [
      'xai/aisdk-xai-tool-call.json',
      '',
      357,
      ['weather {"location":"San Francisco"}'],
      ['tool_calls'],
      [291, 215, 244, 189],
    ],
    [
      'xai/aisdk-xai-tool-call.chunks.jsonl',
      '',
      18,
      ['weather {"location":"San Francisco"}'],
      ['tool_calls'],
      [291, 222, 290, 196],
    ],
    ['zai/thinking-stream.sse', '4', 2173, [], ['stop'], [13, 564, 0, 561]],
    ['alibaba/aisdk-alibaba-reasoning.json', 952, 4213, [], ['stop'], [24, 1668, 0, 1353]],
    [
      'alibaba/aisdk-alibaba-tool-call.chunks.jsonl',
      '',
      0,
      ['weather {"location": "San Francisco"}'],
      ['tool_calls'],
      [295, 22, 0],
    ],
    ['cerebras/text.json', '2 + 2 = 4.', 0, [], ['stop'], [43, 9]],
    [
      'cerebras/tool-call.json',
      '',
      0,
      ['final_result {"city": "Paris", "country": "France"}'],
      ['tool_calls'],
      [364, 33, 0],
    ],
    ['copilot/text-stream.sse', '', 0, ['ping {}'], ['tool_calls'], [57, 11, 0, 0]],
    ['doubleword/thinking-stream.sse', '', 4, [], ['length'], [24, 1, 0, 1]],
    ['gpustack/gpustack-stream.sse', '\n\n1, 2, 3.', 674, [], ['stop'], [15, 171, 0, 160]],
    ['huggingface/text-stream.sse', 'Paris', 0, [], ['stop'], [40, 2]],
    ['llamacpp/text-stream.sse', 'cedar', 0, [], ['stop'], [19, 7, 18]],
    ['llamacpp/thinking-stream.sse', '', 57, [], ['length'], [2854, 16, 2825]],
    [
      'llamacpp/tool-calls-parallel-stream.sse',
      '',
      0,
      ['read_file_head {}', 'read_file_tail {}'],
      ['tool_calls'],
      [226, 38, 225],
    ],
    ['moonshot/aisdk-moonshotai-stream.chunks.jsonl', 'Hello!', 16, [], ['stop'], [9, 12, undefined, 7]],
    [
      'moonshot/aisdk-moonshotai-tool-call.json',
      '',
      0,
      ['get_weather {"city":"Paris"}'],
      ['tool_calls'],
      [30, 12],
    ],
    ['ollama/text-stream.sse', 102, 0, [], ['stop'], [252, 45]],
    ['ollama/text.json', 50, 0, [], ['stop'], [209, 15]],
    [
      'anthropic-openai-compat/aisdk-compat-anthropic-fallback-tool-call.sse',
      'Reading it.',
      0,
      ['read_file {"path": "a.txt"}'],
      ['tool_calls'],
      [],
    ],
  ])('%s says what was recorded', async (name, text, reasoning, tools, finish, usage) => {
    const entry = recording(name)
    const result = told(await decoded(entry, [entry.bytes]))
    expect(typeof text === 'number' ? result.text.length : result.text).toBe(text)
    expect(result.reasoning).toHaveLength(reasoning)
    expect(result.tools).toEqual(tools)
    expect(result.finish).toEqual(finish)
    expect(result.usage).toEqual([0, 1, 2, 3].map(at => usage[at]))
  })

  it('keeps annotations, refusals and log probabilities', async () => {
    const one = async (name: string) =>
      (await decoded(recording(name), [recording(name).bytes])).completion!.choices[0]!
    const annotated = await one('openai/web-search-annotations.json')
    expect(annotated.message.annotations?.[0]).toMatchObject({
      type: 'url_citation',
      url_citation: { start_index: expect.any(Number) },
    })
    expect((await one('openai/refusal.json')).message).toEqual({
      refusal: "I'm very sorry, but I can't assist with that request.",
    })
    expect((await one('openai/logprobs.json')).logprobs?.content?.[0]).toMatchObject({
      token: '42',
      bytes: [52, 50],
      top_logprobs: [],
    })
  })

  it.each<[name: string, failure: object]>([
    ['azure/error-401.401.json', { status: 401, code: null }],
    ['azure/error-deployment-not-found.404.json', { status: 404, code: 'DeploymentNotFound' }],
    ['deepseek/error-400.400.json', { status: 400, code: 'context_length_exceeded' }],
    ['deepseek/error-401.401.json', { status: 401, type: 'authentication_error' }],
    [
      'doubleword/error-400.400.json',
      { status: 400, code: null, vendorMessage: 'Validation: Temperature must be between 0 and 2, got 100' },
    ],
    ['groq/error-401.401.json', { status: 401, code: 'invalid_api_key' }],
    ['llamacpp/error-context.400.json', { status: 400, code: 'context_length_exceeded' }],
    ['llamacpp/error-400.400.json', { status: 400, code: null, vendorMessage: 'unsupported content[].type' }],
    [
      'mistral/error-400.400.json',
      { status: 400, code: '1500', vendorMessage: 'Invalid model: definitely-not-a-model' },
    ],
    ['mistral/error-401.401.json', { status: 401, vendorMessage: 'Invalid API Key' }],
    ['ollama/error-400.400.json', { status: 400, code: 'context_length_exceeded' }],
    [
      'openai/error-unsupported-role.400.json',
      { status: 400, code: 'unsupported_value', param: 'messages[0].role' },
    ],
    ['openai/error-model-not-found.404.json', { status: 404, code: 'model_not_found' }],
    ['openrouter/error-429.429.json', { status: 429, code: null, vendorMessage: 'Provider returned error' }],
    ['openrouter/error-mid-stream.sse', { status: 400, code: null, vendorMessage: 'Token limit reached' }],
    ['perplexity/error-400.400.json', { status: 400, code: 'context_length_exceeded' }],
    ['venice/error-404.404.json', { status: 404, code: null }],
  ])('%s is the refusal that was recorded', async (name, failure) => {
    const entry = recording(name)
    expect((await decoded(entry, [entry.bytes])).failure).toMatchObject({ kind: 'refused', ...failure })
  })
})
