import { expect } from 'vitest'
import { type Answered, finishReasons, type Said } from './said.ts'

/** Holds what came out of the gateway to what was recorded: nothing lost, added or changed. */
export function expectSame(answered: Answered, recorded: Answered): void {
  expect(answered.choices.length).toBe(recorded.choices.length)
  for (const [index, said] of answered.choices.entries()) {
    const original = recorded.choices[index]!
    expect(said.text).toBe(original.text)
    expect(said.reasoning).toBe(original.reasoning)
    expect(said.refusal).toBe(original.refusal)
    expect(said.logged).toEqual(original.logged)
    expect(said.annotations).toEqual(original.annotations)
    expect(said.calls.map(({ name }) => name)).toEqual(original.calls.map(({ name }) => name))
    for (const [at, call] of said.calls.entries()) {
      const { id, arguments: text } = original.calls[at]!
      if (id !== undefined) expect(call.id).toBe(id)
      if (original.finish !== 'length')
        expect(JSON.parse(call.arguments)).toEqual(JSON.parse(text || '{}') ?? {})
    }
    if (!recorded.error) expect(said.finish).toBe(finishOf(original))
  }
  if (recorded.usage !== undefined && !recorded.error) expect(answered.usage).toEqual(recorded.usage)
}

function finishOf({ finish, calls }: Said): string {
  const known = finish !== undefined && finishReasons.includes(finish) ? finish : 'stop'
  return known === 'stop' && calls.length > 0 ? 'tool_calls' : known
}
