import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Call, type PartialChunk, type PartialCompletion, UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { decodeMessages } from '../../src/anthropic/decode.ts'
import { scriptedResponse } from '../scripted-response.ts'

const folder = resolve(import.meta.dirname, '../../../../../shared/fixtures/anthropic')
const present = existsSync(folder)
if (!present) console.warn(`Skipped: the recordings of Anthropic are not there (${folder}).`)

interface Recording {
  readonly status: number
  readonly stream: boolean
  readonly bytes: Uint8Array
}

function recording(name: string): Recording {
  const path = resolve(folder, name)
  const status = Number(/\.(\d{3})\.json$/.exec(name)?.[1] ?? 200)
  if (!name.endsWith('.jsonl')) return { status, stream: name.endsWith('.sse'), bytes: readFileSync(path) }
  const text = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`)
    .join('')
  return { status, stream: true, bytes: new TextEncoder().encode(text) }
}

const names = present ? readdirSync(folder).filter(file => !file.includes('.request.')) : []

interface Result {
  readonly completion?: PartialCompletion
  readonly chunks?: PartialChunk[]
  readonly failure?: unknown
}

async function decoded({ status, stream }: Recording, body: Iterable<Uint8Array>): Promise<Result> {
  const call: Call = {
    model: 'claude-haiku-4-5',
    input: { model: 'public', messages: [{ role: 'user', content: 'x' }], stream },
  }
  const headers = { 'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' }
  const chunks: PartialChunk[] = []
  try {
    const reply = await decodeMessages(scriptedResponse({ status, headers, body }), call)
    if (reply.kind === 'completion') return { completion: reply.completion }
    for await (const batch of reply.chunks) {
      expect(batch.length).toBeGreaterThan(0)
      chunks.push(...batch)
    }
    return { chunks }
  } catch (failure) {
    if (!UpstreamError.is(failure)) throw failure
    const { kind, status, code, type, message, vendorMessage } = failure
    return { chunks, failure: { kind, status, code, type, message, vendorMessage } }
  }
}

function* cut(bytes: Uint8Array, size: () => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const next = at + size()
    yield bytes.subarray(at, next)
    at = next
  }
}

/** A seeded generator of numbers (Lehmer). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** What an answer says in all. */
function told({ completion, chunks = [] }: Result) {
  const parts = [
    ...(completion?.choices ?? []).map(({ message, ...rest }) => ({ ...rest, delta: message })),
    ...chunks.flatMap(({ choices }) => choices),
  ]
  const usage = chunks.findLast(chunk => chunk.usage !== undefined)?.usage ?? completion?.usage
  const details = parts.flatMap(({ delta }) => delta.reasoning_details ?? [])
  return {
    text: parts.map(({ delta }) => delta.content ?? '').join(''),
    thought: parts.map(({ delta }) => delta.reasoning_content ?? '').join('').length,
    details: details.map(({ type }) => type),
    calls: parts
      .flatMap(({ delta }) => delta.tool_calls ?? [])
      .map(({ id, function: f }) => `${id ?? ''}${f?.name ?? ''}${f?.arguments}`),
    finish: parts.map(({ finish_reason }) => finish_reason).filter(reason => reason != null),
    usage: [usage?.prompt_tokens, usage?.completion_tokens, usage?.cached_tokens, usage?.cache_write_tokens],
  }
}

describe.skipIf(!present)('recordings of Anthropic', () => {
  it.each(names)('%s reads the same however it is cut', async name => {
    const entry = recording(name)
    const expected = await decoded(entry, [entry.bytes])
    if (entry.bytes.length < 20_000)
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
  })

  it('are complete wherever no error was recorded', async () => {
    for (const name of names) {
      const entry = recording(name)
      const { failure } = await decoded(entry, [entry.bytes])
      expect(failure !== undefined, name).toBe(entry.status !== 200)
    }
  })

  /** Read off the recordings: text (or its length), length of thinking, finish, usage (prompt, completion, cached, written). */
  it.each<
    [name: string, text: string | number, thought: number, details: string[], finish: string, usage: number[]]
  >([
    ['text-stream.sse', 5, 0, [], 'stop', [15, 9, 0, 0]],
    ['cache-hit-stream.sse', 1_255, 0, [], 'stop', [1_171, 256, 1_167, 0]],
    ['cache-hit.json', 'OK', 0, [], 'stop', [7_361, 4, 7_351, 0]],
    ['cache-write.json', 'OK', 0, [], 'stop', [7_361, 4, 0, 7_351]],
    ['json-schema-output.json', '{"name":"Bob","age":30}', 0, [], 'stop', [174, 12, 0, 0]],
    [
      'redacted-thinking-stream.sse',
      359,
      0,
      ['reasoning.encrypted', 'reasoning.encrypted'],
      'stop',
      [92, 189, 0, 0],
    ],
    ['aisdk-anthropic-compaction.1.json', 4_384, 0, [], 'stop', [61_067, 1_912, 0, 0]],
    ['aisdk-anthropic-fallback.chunks.jsonl', 66, 0, [], 'stop', [412, 264, 0, 0]],
    ['aisdk-anthropic-mcp.1.chunks.jsonl', 112, 0, [], 'stop', [1_250, 83, 0, 0]],
    ['pause-turn.json', 425, 293, ['reasoning.text'], 'stop', [401_468, 792, 0, 0]],
    ['aisdk-anthropic-refusal.json', '', 0, [], 'content_filter', [18, 5, 0, 0]],
  ])('%s says what was recorded', async (name, text, thought, details, finish, usage) => {
    const entry = recording(name)
    const said = told(await decoded(entry, [entry.bytes]))
    expect(typeof text === 'number' ? said.text.length : said.text).toBe(text)
    expect(said.calls).toEqual([])
    expect({ ...said, text: '', calls: [] }).toEqual({
      text: '',
      thought,
      details,
      calls: [],
      finish: [finish],
      usage,
    })
  })

  it('thinking-tool-stream.sse calls a tool without arguments after it thought', async () => {
    const entry = recording('thinking-tool-stream.sse')
    const said = told(await decoded(entry, [entry.bytes]))
    expect(said).toMatchObject({
      thought: 180,
      details: ['reasoning.text'],
      calls: ['toolu_01825dXWLSoJwCst1qTsiWdbfixed_version', '{}'],
      finish: ['tool_calls'],
      usage: [598, 92, 0, 0],
    })
  })

  it('places in documents are citations of the text, streamed or not', async () => {
    const citations = async (name: string) => {
      const { completion, chunks = [] } = await decoded(recording(name), [recording(name).bytes])
      const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.citations ?? []))
      return completion?.choices[0]?.message.citations ?? deltas.flat()
    }
    const cited = await citations('citations-stream.sse')
    expect(cited).toEqual([
      {
        type: 'file_citation',
        file_citation: expect.objectContaining({
          filename: 'facts.txt',
          start_char_index: 0,
          end_char_index: 73,
          start_index: 0,
          end_index: 72,
        }),
      },
    ])
    expect(await citations('pdf-in-citations.json')).toEqual(cited)
  })
})
