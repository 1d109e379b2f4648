import type { SseTranscript } from '@sluice/testing'
import { expect } from 'vitest'
import { expectDetails, expectTextOrNull } from './expect-completion.ts'
import { expectKeys, withoutProviderFields } from './expect-keys.ts'
import { expectLogprobs } from './expect-logprobs.ts'
import { expectUsage } from './expect-usage.ts'
import { type Answered, finishReasons, loggedIn, nothingSaid, type Said } from './said.ts'

const chunkKeys = ['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'choices']
const deltaKeys = [
  'content',
  'reasoning_content',
  'reasoning_details',
  'refusal',
  'tool_calls',
  'function_call',
  'audio',
  'annotations',
  'citations',
]

type Json = Record<string, never>

interface Expected {
  readonly model: string
  readonly includeUsage: boolean
  /** Whether it breaks off with an error event. */
  readonly breaks?: boolean
}

/** Holds a streamed answer to every word of protocol section 3, and tells what it says. */
export function expectStream(
  { chunks, events, done, comments }: SseTranscript,
  expected: Expected,
): Answered {
  const { includeUsage, breaks = false } = expected
  const answered: Answered = { choices: [], usage: undefined, error: breaks }
  let sent = (chunks as unknown as Json[]).map(withoutProviderFields)
  expect(comments.filter(comment => comment !== ' keep-alive')).toEqual([])
  expect(done).toBe(!breaks)
  expect(events.length).toBe(sent.length + (done ? 1 : 0))
  if (breaks) {
    expectKeys(sent.at(-1), ['error'])
    expectKeys(sent.at(-1)!.error, ['message', 'type', 'param', 'code'])
    sent = sent.slice(0, -1)
  } else if (includeUsage) {
    const last = sent.at(-1)!
    expectHead(last, sent[0]!, expected)
    expect(last.choices).toEqual([])
    const counts = expectUsage(last.usage)
    answered.counts = counts
    answered.usage = { prompt: counts.prompt, completion: counts.completion }
    sent = sent.slice(0, -1)
  }
  for (const chunk of sent) {
    expectHead(chunk, sent[0]!, expected)
    if (includeUsage) expect(chunk.usage).toBeNull()
    const choices = chunk.choices as unknown as Json[]
    expect(choices).toHaveLength(1)
    expectChoice(withoutProviderFields(choices[0]!), answered.choices)
  }
  if (breaks) for (const said of answered.choices) expect(said.finish).toBeUndefined()
  else {
    expect(answered.choices.length).toBeGreaterThan(0)
    for (const said of answered.choices) {
      expect(finishReasons).toContain(said.finish)
      if (said.finish !== 'length') for (const call of said.calls) JSON.parse(call.arguments)
      if (said.calls.length > 0) expect(said.finish).not.toBe('stop')
      expect(new Set(said.calls.map(({ id }) => id)).size).toBe(said.calls.length)
    }
  }
  return answered
}

function expectHead(chunk: Json, first: Json, { model, includeUsage }: Expected): void {
  const known = includeUsage ? [...chunkKeys, 'usage'] : chunkKeys
  expectKeys(
    chunk,
    known,
    known.filter(key => key !== 'service_tier'),
  )
  expect(chunk.object).toBe('chat.completion.chunk')
  expect(chunk.id).toMatch(/^chatcmpl-[A-Za-z0-9]{20,}$/)
  expect(Number.isInteger(chunk.created)).toBe(true)
  expect(chunk.model).toBe(model)
  if ('service_tier' in chunk) expect(chunk.service_tier).toMatch(/^[a-z_]+$/)
  expectTextOrNull(chunk.system_fingerprint)
  for (const key of chunkKeys.slice(0, -1)) {
    // Some vendors name their tier last.
    if (key !== 'service_tier' || first[key] !== undefined) expect(chunk[key]).toEqual(first[key])
  }
}

function expectChoice(choice: Json, choices: Said[]): void {
  expectKeys(choice, ['index', 'delta', 'logprobs', 'finish_reason'])
  expectLogprobs(choice.logprobs)
  const index = Number(choice.index)
  const delta = choice.delta as unknown as Json
  const known = choices[index]
  if (known === undefined) {
    expect(index).toBe(choices.length)
    expectKeys(delta, ['role', 'content', 'refusal'], ['role', 'content'])
    expect(delta.role).toBe('assistant')
    expect([null, '']).toContain(delta.content)
    expect([undefined, null, '']).toContain(delta.refusal)
    expect(choice.finish_reason).toBeNull()
    choices.push(nothingSaid())
    return
  }
  expect(known.finish, 'a chunk after the last one of its choice').toBeUndefined()
  if (choice.finish_reason !== null) {
    expect(delta).toEqual({})
    known.finish = choice.finish_reason!
    return
  }
  expect(Object.keys(delta).length).toBeGreaterThan(0)
  expectKeys(withoutProviderFields(delta), deltaKeys, [])
  for (const key of ['content', 'refusal', 'reasoning_content'] as const) {
    if (key in delta) expect(delta[key]).toBeTypeOf('string')
  }
  known.logged.push(...loggedIn(choice.logprobs))
  known.annotations.push(...((delta.annotations ?? []) as unknown[]))
  known.citations.push(...((delta.citations ?? []) as unknown[]))
  known.text += delta.content ?? ''
  known.refusal += delta.refusal ?? ''
  known.reasoning += delta.reasoning_content ?? ''
  if ('reasoning_details' in delta) {
    expectDetails(delta.reasoning_details)
    known.details.push(...(delta.reasoning_details as unknown as unknown[]))
    known.detailDeltas++
  }
  for (const piece of (delta.tool_calls ?? []) as Json[]) expectPiece(piece, known.calls)
}

/** The first piece of a call has all of it but its arguments, later ones nothing else; calls come one by one. */
function expectPiece(piece: Json, calls: Said['calls']): void {
  const index = Number(piece.index)
  const { name, arguments: text } = (piece.function ?? {}) as unknown as Record<string, string>
  if (index === calls.length) {
    expectKeys(
      piece,
      ['index', 'id', 'type', 'function', 'extra_content'],
      ['index', 'id', 'type', 'function'],
    )
    expectKeys(piece.function, ['name', 'arguments'])
    expect(piece.type).toBe('function')
    expect(piece.id).toMatch(/\S/)
    expect(name).toMatch(/^[a-zA-Z0-9_.:-]+$/)
    const call = { id: piece.id!, name: name!, arguments: text! }
    calls.push(piece.extra_content === undefined ? call : { ...call, extra: piece.extra_content })
    return
  }
  expect(index, 'the index of a call that goes on').toBe(calls.length - 1)
  expectKeys(piece, ['index', 'function', 'extra_content'], ['index'])
  if (piece.extra_content !== undefined) calls[index]!.extra = piece.extra_content
  if (piece.function === undefined) return
  expectKeys(piece.function, ['arguments'])
  expect(text).toBeTypeOf('string')
  calls[index]!.arguments += text
}
