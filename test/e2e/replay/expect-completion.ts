import { expect } from 'vitest'
import { expectKeys, withoutProviderFields } from './expect-keys.ts'
import { expectLogprobs } from './expect-logprobs.ts'
import { expectUsage } from './expect-usage.ts'
import { type Answered, finishReasons, loggedIn, type Said } from './said.ts'

const needed = ['role', 'content', 'refusal', 'annotations']
const message = [
  'role',
  'content',
  'reasoning_content',
  'reasoning_details',
  'tool_calls',
  'function_call',
  'audio',
  'refusal',
  'annotations',
  'citations',
]

type Json = Record<string, never>

/** Holds a whole answer to every word of protocol section 2, and tells what it says. */
export function expectCompletion(json: unknown, model: string): Answered {
  const whole = withoutProviderFields(json as { choices: Json[]; usage: Json; [key: string]: unknown })
  const keys = ['id', 'object', 'created', 'model', 'choices', 'usage', 'service_tier', 'system_fingerprint']
  expectKeys(
    whole,
    keys,
    keys.filter(key => key !== 'service_tier'),
  )
  expect(whole.id).toMatch(/^chatcmpl-[A-Za-z0-9]{20,}$/)
  expect(whole.object).toBe('chat.completion')
  expect(Number.isInteger(whole.created)).toBe(true)
  expect(whole.model).toBe(model)
  if ('service_tier' in whole) expect(whole.service_tier).toMatch(/^[a-z_]+$/)
  expectTextOrNull(whole.system_fingerprint)
  const counts = expectUsage(whole.usage)
  expect(whole.choices.length).toBeGreaterThan(0)
  const choices = whole.choices.map(withoutProviderFields).map((choice, index) => {
    expectKeys(choice, ['index', 'message', 'logprobs', 'finish_reason'])
    expect(choice.index).toBe(index)
    expect(finishReasons).toContain(choice.finish_reason)
    expectLogprobs(choice.logprobs)
    const said = expectMessage(withoutProviderFields(choice.message!), choice.finish_reason!)
    return { ...said, logged: loggedIn(choice.logprobs) }
  })
  const { prompt, completion } = counts
  return { choices, usage: { prompt, completion }, counts, error: false }
}

function expectMessage(said: Json, finish: string): Said {
  expectKeys(said, message, needed)
  expect(said.role).toBe('assistant')
  expectTextOrNull(said.content)
  expectTextOrNull(said.refusal)
  expect(Array.isArray(said.annotations)).toBe(true)
  if ('reasoning_content' in said) expect(said.reasoning_content).not.toBe('')
  const details = (said.reasoning_details ?? []) as unknown[]
  if ('reasoning_details' in said) expectDetails(details)
  const citations = (said.citations ?? []) as unknown[]
  if ('citations' in said) expect(citations.length).toBeGreaterThan(0)
  const calls = (said.tool_calls ?? []) as {
    id: string
    function: { name: string; arguments: string }
    extra_content?: unknown
  }[]
  if ('tool_calls' in said) expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) {
    expectKeys(call, ['id', 'type', 'function', 'extra_content'], ['id', 'type', 'function'])
    expect(call.id).toMatch(/\S/)
    expect(call).toHaveProperty('type', 'function')
    expectKeys(call.function, ['name', 'arguments'])
    expect(call.function.name).toMatch(/^[a-zA-Z0-9_.:-]+$/)
    expect(JSON.parse(call.function.arguments)).toBeTypeOf('object')
  }
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  if (calls.length > 0) expect(finish).not.toBe('stop')
  return {
    text: said.content ?? '',
    reasoning: said.reasoning_content ?? '',
    refusal: said.refusal ?? '',
    calls: calls.map(({ id, function: called, extra_content: extra }) => {
      return extra === undefined ? { id, ...called } : { id, ...called, extra }
    }),
    finish,
    logged: [],
    annotations: said.annotations!,
    citations,
    details,
    detailDeltas: details.length === 0 ? 0 : 1,
  }
}

/** Holds reasoning details to their common shape: a list with something in it, of objects that name their type. */
export function expectDetails(value: unknown): void {
  expect(Array.isArray(value)).toBe(true)
  const details = value as { type?: unknown }[]
  expect(details.length).toBeGreaterThan(0)
  for (const { type } of details) expect(type).toMatch(/^reasoning\.[a-z_]+$/)
}

export function expectTextOrNull(value: unknown): void {
  expect(value === null || typeof value === 'string', `${value}`).toBe(true)
}
