import { describe, expect, it } from 'vitest'
import { responsesRequest } from '../../../test/support/responses-request.ts'
import type { JsonObject } from '../../protocol/chat.ts'

describe('the names of the caller', () => {
  it.each([
    ['max_tokens', 'max_output_tokens'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['messages', 'input'],
    ['messages[0].content', 'input'],
    ['reasoning_effort', 'reasoning.effort'],
    ['temperature', 'temperature'],
  ])('are given for %s: %s', (path, name) => {
    expect(responsesRequest().pathOf(path)).toBe(name)
  })
})

describe('how much a model may think', () => {
  it.each<[string, JsonObject, object | undefined]>([
    ['nothing', {}, undefined],
    ['no thought', { effort: 'none', summary: 'auto' }, undefined],
    ['an effort', { effort: 'low' }, { hasEffort: true }],
    [
      'an effort and a summary',
      { effort: 'low', summary: 'auto' },
      { hasEffort: true, display: 'summarized' },
    ],
    ['a summary', { summary: 'auto' }, { hasEffort: false, display: 'summarized', onlyDisplay: true }],
    ['no summary', { summary: null }, undefined],
  ])('is read of %s', (_, reasoning, thinking) => {
    expect(responsesRequest({ reasoning }).thinking!()).toEqual(thinking)
  })
})

describe('a call that was cut off', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":', status: 'incomplete' }
  const output = { type: 'function_call_output', call_id: 'c', output: 'Not JSON.' }

  it('has no arguments, which is reported', () => {
    const request = responsesRequest({ input: [call, output] })
    expect(request.turns()[0]!.parts).toMatchObject([{ kind: 'call', arguments: '{}' }])
    expect(request.translationLosses!()).toMatchObject([{ path: 'input[0].arguments', kind: 'mapped' }])
  })

  it.each([
    { ...call, arguments: '{"a":1}' },
    { ...call, status: 'completed' },
  ])('is another one than %o', item => {
    const request = responsesRequest({ input: [item, output] })
    expect(request.turns()[0]!.parts).toMatchObject([{ kind: 'call', arguments: item.arguments }])
    expect(request.translationLosses!()).toEqual([])
  })
})
