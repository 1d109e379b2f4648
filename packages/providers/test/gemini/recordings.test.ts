import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeGenerateContent } from '../../src/gemini/decode.ts'
import { cut, type Decoded, decodedBy, seeded } from '../decoded-recording.ts'

const root = resolve(import.meta.dirname, '../../../../../shared/fixtures')
const present = existsSync(root)
if (!present) console.warn(`Skipped: the recordings of vendors are not there (${root}).`)

interface Recording {
  readonly name: string
  readonly status: number
  readonly stream: boolean
  readonly bytes: Uint8Array
}

function recording(name: string): Recording {
  const path = resolve(root, name)
  const status = Number(/\.(\d{3})\.\w+$/.exec(name)?.[1] ?? (name.includes('-429-') ? 429 : 200))
  if (!name.endsWith('.jsonl')) {
    const stream = name.endsWith('.sse') || name.includes('-stream')
    return { name, status, stream, bytes: readFileSync(path) }
  }
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
  const text = lines.map(line => `data: ${line}\r\n\r\n`).join('')
  return { name, status, stream: true, bytes: new TextEncoder().encode(text) }
}

function recordings(): Recording[] {
  if (!present) return []
  return ['gemini', 'vertex'].flatMap(vendor =>
    readdirSync(resolve(root, vendor))
      .filter(file => !file.includes('.request.'))
      .map(file => recording(`${vendor}/${file}`)),
  )
}

const decoded = (recording: Recording, body: Iterable<Uint8Array>) =>
  decodedBy(decodeGenerateContent, recording, body)

/** What an answer says in all: of its first choice, and how many there are. */
function told({ completion, chunks = [], failure }: Decoded) {
  if (failure !== undefined) return { failure }
  const said = { text: '', thoughts: 0, tools: [] as string[], signatures: 0, sources: 0, finish: '' }
  const all = [
    ...(completion?.choices.map(({ message, ...rest }) => ({ ...rest, delta: message })) ?? []),
    ...chunks.flatMap(chunk => chunk.choices),
  ]
  for (const { index, delta, finish_reason } of all) {
    if (index !== 0) continue
    said.text += delta.content ?? delta.refusal ?? ''
    said.thoughts += delta.reasoning_content?.length ?? 0
    for (const call of delta.tool_calls ?? []) {
      said.tools.push(`${call.function?.name} ${call.function?.arguments}`)
      said.signatures += call.extra_content === undefined ? 0 : 1
    }
    said.signatures += delta.reasoning_details?.length ?? 0
    said.sources += delta.annotations?.length ?? 0
    said.finish += finish_reason ?? ''
  }
  const usage = completion?.usage ?? chunks.findLast(chunk => chunk.usage !== undefined)?.usage
  const counts = [
    usage?.prompt_tokens,
    usage?.cached_tokens,
    usage?.completion_tokens,
    usage?.reasoning_tokens,
  ]
  return { ...said, choices: new Set(all.map(({ index }) => index)).size, usage: counts }
}

const nothing = { text: '', thoughts: 0, tools: [], signatures: 0, sources: 0, finish: 'stop', choices: 1 }
const place = '{"latitude":"52.5200","longitude":"13.4050"}'

/** Read by hand from the recordings. */
const expected: Readonly<Record<string, object>> = {
  'gemini/aisdk-google-429-retry-info.json': {
    failure: { kind: 'refused', status: 429, code: null, retryAfterMs: 34_400 },
  },
  'gemini/error-api-key.400.json': {
    failure: { kind: 'refused', status: 401, code: 'invalid_api_key', retryAfterMs: undefined },
  },
  'gemini/error-stream-404.404.sse': {
    failure: { kind: 'refused', status: 404, code: null, retryAfterMs: undefined },
  },
  'vertex/error-context-length.400.json': {
    failure: { kind: 'refused', status: 400, code: 'context_length_exceeded', retryAfterMs: undefined },
  },
  'vertex/error-not-found.404.json': {
    failure: { kind: 'refused', status: 404, code: null, retryAfterMs: undefined },
  },
  'vertex/error-temperature.400.json': {
    failure: { kind: 'refused', status: 400, code: null, retryAfterMs: undefined },
  },
  'gemini/aisdk-google-stream-no-args-tool-call.chunks.jsonl': {
    ...nothing,
    thoughts: 320,
    tools: ['read_theme {}', 'read_screen {"id":"A"}', 'read_screen {"id":"B"}', 'read_screen {"id":"C"}'],
    signatures: 1,
  },
  'gemini/aisdk-google-text.chunks.jsonl': {
    ...nothing,
    text: 'There are **3** "r"s in strawberry.\n\nst**r**awbe**rr**y',
    signatures: 1,
    usage: [9, undefined, 208, 185],
  },
  'gemini/cache-hit.json': { usage: [9_622, 9_609, 171, 136] },
  'gemini/candidates-n.json': { text: 'RedRed', choices: 2, usage: [12, undefined, 84, 84] },
  'gemini/code-execution-stream.sse': {
    ...nothing,
    text: 'The capital of France is Paris. The city is well-known for its famous landmarks, including the Eiffel Tower.',
    usage: [785, undefined, 779, 742],
  },
  'gemini/function-call-stream.sse': {
    ...nothing,
    tools: ['weather {"longitude":"2.3514","latitude":"48.8575"}'],
    usage: [238, undefined, 29, undefined],
  },
  'gemini/function-call.json': { ...nothing, tools: ['bar {}'], usage: [21, undefined, 1, undefined] },
  'gemini/function-calls-parallel-stream.sse': {
    ...nothing,
    tools: ['lookup_harbor_label {}', 'lookup_orchard_label {}'],
  },
  'gemini/function-calls-parallel.json': {
    ...nothing,
    tools: [`weather ${place}`, 'best_language_to_learn {}'],
    signatures: 1,
    usage: [143, undefined, 153, 109],
  },
  'gemini/grounding-stream.sse': {
    ...nothing,
    text: 'Pydantic AI Gateway is now available!',
    sources: 1,
    usage: [4_642, undefined, 62, 37],
  },
  'gemini/grounding.json': {
    ...nothing,
    text: 'The latest stable version of Ruby is 4.0.6.',
    sources: 3,
    usage: [83, undefined, 139, 109],
  },
  'gemini/json-schema.json': { ...nothing, text: '{"result": 8}' },
  'gemini/max-tokens-no-parts.json': { ...nothing, finish: 'length', usage: [15, undefined, 2, 2] },
  'gemini/max-tokens.json': { ...nothing, finish: 'length' },
  'gemini/max-tokens-stream.sse': { finish: 'length', usage: [28, undefined, 24, undefined] },
  'gemini/text-stream-json-array.json': { ...nothing, tools: ['pelican_name_generator {}'] },
  'gemini/text-stream.sse': { ...nothing, text: '1, 2, 3', usage: [8, undefined, 28, 21] },
  'gemini/text.json': { ...nothing, text: '1, 2, 3', usage: [8, undefined, 28, 21] },
  'gemini/thinking-stream.sse': { signatures: 1, finish: 'stop', choices: 1 },
  'gemini/thinking.json': { ...nothing, text: '5 + 3 = 8', thoughts: 306, signatures: 1 },
  'vertex/aisdk-google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.jsonl': {
    ...nothing,
    tools: [
      'writeItems {"operations":[{"action":"add","description":"Fresh red apple","itemid":"apple_001","price":0.5},{"action":"add","description":"Ripe yellow banana","itemid":"banana_001","price":0.3}]}',
    ],
    signatures: 1,
    usage: [54, undefined, 195, 121],
  },
  'vertex/function-call-stream.sse': { ...nothing, tools: [`weather ${place}`], signatures: 1 },
  'vertex/model-armor-prompt-blocked.json': {
    ...nothing,
    text: 'The prompt violated Prompt Injection and Jailbreak filters.',
    finish: 'content_filter',
    usage: [undefined, undefined, undefined, undefined],
  },
  'vertex/model-armor-response-blocked.json': {
    ...nothing,
    finish: 'content_filter',
    usage: [19, undefined, 33, 27],
  },
  'vertex/text-stream.sse': { ...nothing, text: '1\n2\n3' },
  'vertex/text.json': { ...nothing, text: '1\n2\n3', usage: [7, undefined, 26, 21] },
}

describe.skipIf(!present)('recordings', () => {
  it('are there for what is expected of them', () => {
    const names = new Set(recordings().map(({ name }) => name))
    expect(Object.keys(expected).filter(name => !names.has(name))).toEqual([])
  })

  it.each(recordings().map(one => [one.name, one] as const))('%s', async (name, one) => {
    const whole = await decoded(one, [one.bytes])
    expect(told(whole)).toMatchObject(expected[name] ?? { finish: 'stop' })
    for (const seed of [1, 2, 3]) {
      const random = seeded(seed)
      const pieces = await decoded(
        one,
        cut(one.bytes, () => 1 + Math.floor(random() * 60)),
      )
      expect(pieces).toEqual(whole)
    }
    expect(
      await decoded(
        one,
        cut(one.bytes, () => 1),
      ),
    ).toEqual(whole)
  })

  it('of calls in pieces are put together', async () => {
    const one = recording('vertex/aisdk-google-vertex-stream-tool-call-arguments-nested.1.chunks.jsonl')
    const { chunks = [] } = await decoded(one, [one.bytes])
    const calls = chunks.flatMap(chunk => chunk.choices.flatMap(choice => choice.delta.tool_calls ?? []))
    expect(calls).toHaveLength(1)
    const { recipe } = JSON.parse(calls[0]?.function?.arguments ?? '')
    expect(recipe.name).toBe('Lasagna')
    expect(recipe.ingredients).toHaveLength(10)
    expect(recipe.ingredients[9]).toEqual({ amount: '1/2 tsp', name: 'Pepper' })
    expect(recipe.steps).toHaveLength(10)
    expect(recipe.steps[1]).toBe('Cook lasagna noodles according to package directions, drain and set aside.')
  })

  it('that are cut anywhere are no answer', async () => {
    const one = recording('gemini/thinking-stream.sse')
    for (let end = 100; end < one.bytes.length - 100; end += 997) {
      const { failure } = await decoded(one, [one.bytes.subarray(0, end)])
      expect(failure).toMatchObject({ kind: 'truncated' })
    }
  })
})
