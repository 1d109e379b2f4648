import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Answered } from '../../../../../test/e2e/replay/said.ts'
import { type Digest, expectHeld } from './held.ts'

/** What one choice has to say. What is absent has to be absent or empty. */
export interface ExpectedChoice {
  readonly text?: string | Digest
  readonly reasoning?: string | Digest
  readonly refusal?: string | Digest
  readonly calls?: readonly ExpectedCall[]
  /** Absent only where the answer breaks off. */
  readonly finish?: string
  readonly annotations?: readonly unknown[]
  /** Places in documents of the request. */
  readonly citations?: readonly unknown[]
  /** `reasoning_details`. */
  readonly details?: readonly unknown[]
}

export interface ExpectedCall {
  /** Absent: the vendor gave none, and one is made. */
  readonly id?: string
  readonly name: string
  /** What the JSON text of the arguments holds. */
  readonly arguments: unknown
  /** `extra_content`. */
  readonly extra?: unknown
}

/** Token counts; 0 where absent. `estimated`: the vendor tells none. */
export type ExpectedUsage =
  | 'estimated'
  | {
      readonly prompt: number
      readonly completion: number
      readonly cached?: number
      readonly cacheWrite?: number
      readonly reasoning?: number
    }

/** The error that the caller sees: in place of an answer with a status, at the end of one without. */
export interface ExpectedError {
  readonly status?: number
  readonly code: string | null
  readonly type: string
  readonly param?: string | null
  /** A piece of what it says. */
  readonly message?: string
  /** The header, in seconds. */
  readonly retryAfter?: string
}

/** What the caller has to get for a vendor's answer, written by reading that answer and not by asking the code. */
export interface Expected {
  /** Why, where the answer does not show it by itself. */
  readonly note?: string
  /** Fields of the request that the answer depends on. */
  readonly asked?: object
  /** The vendor's model, where the answer depends on it. */
  readonly model?: string
  readonly choices?: readonly ExpectedChoice[]
  readonly usage?: ExpectedUsage
  readonly error?: ExpectedError
}

const folder = new URL('expected/', import.meta.url)

/** Every expectation, by the name of its recording: `vendor/file`. */
export const expectations: ReadonlyMap<string, Expected> = new Map(
  (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
    .filter(path => path.endsWith('.json'))
    .map(path => path.replaceAll('\\', '/'))
    .sort()
    .map(path => [path.slice(0, -'.json'.length), read(path)]),
)

function read(path: string): Expected {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as Expected
}

/** Holds an answer to its expectation. */
export function expectAnswered(answered: Answered, expected: Expected): void {
  const { choices = [], usage, error } = expected
  expect(answered.choices.length, 'choices').toBe(choices.length)
  for (const [index, choice] of choices.entries()) {
    const said = answered.choices[index]!
    const at = `choice ${index}`
    expectHeld(said.text, choice.text ?? '', `${at}: text`)
    expectHeld(said.reasoning, choice.reasoning ?? '', `${at}: reasoning`)
    expectHeld(said.refusal, choice.refusal ?? '', `${at}: refusal`)
    expectHeld(said.details, choice.details ?? [], `${at}: reasoning_details`)
    expectHeld(said.annotations, choice.annotations ?? [], `${at}: annotations`)
    expectHeld(said.citations, choice.citations ?? [], `${at}: citations`)
    expect(said.detailDeltas, `${at}: deltas with reasoning_details`).toBeLessThanOrEqual(1)
    expectCalls(said.calls, choice, at, error !== undefined)
    expect(said.finish, `${at}: finish`).toBe(choice.finish)
  }
  if (error !== undefined || usage === 'estimated') return
  expect(answered.counts, 'usage').toEqual({ cached: 0, cacheWrite: 0, reasoning: 0, ...usage })
}

function expectCalls(
  calls: Answered['choices'][number]['calls'],
  { calls: expected = [], finish }: ExpectedChoice,
  at: string,
  broken: boolean,
): void {
  const whole = !broken && finish !== 'length'
  const seen = calls.map(({ id, name, arguments: text, extra }, index) => ({
    ...(expected[index]?.id === undefined ? {} : { id }),
    name,
    arguments: whole || isJson(text) ? JSON.parse(text) : text,
    ...(extra === undefined ? {} : { extra }),
  }))
  expectHeld(seen, expected, `${at}: calls`)
  for (const [index, { id }] of expected.entries()) {
    if (id === undefined) expect(calls[index]!.id).toMatch(/^call_\w+$/)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Holds an error's JSON to its expectation. */
export function expectError(json: unknown, expected: ExpectedError): void {
  const { error } = json as { error: Record<string, unknown> }
  expect(Object.keys(json as object)).toEqual(['error'])
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
  expect({ code: error.code, type: error.type, param: error.param }).toEqual({
    code: expected.code,
    type: expected.type,
    param: expected.param ?? null,
  })
  expect(error.message).toMatch(/\S/)
  if (expected.message !== undefined) expect(error.message).toContain(expected.message)
}
