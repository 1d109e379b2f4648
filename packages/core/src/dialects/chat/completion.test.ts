import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../../test/support/chat-request.ts'
import type { PartialCompletion, PartialMessage } from '../../contracts/provider.ts'
import { finishReason } from '../../normalization/finish-reason.ts'
import { estimatedUsage } from '../../usage/usage.ts'
import { normalizeCompletion } from './completion.ts'

const identity = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' }
const usage = estimatedUsage(chatRequest({ model: 'm', messages: [] }), 8)
const newId = () => 'f'.repeat(32)
const logprobs = { content: [], refusal: null }

function normalized(partial: PartialCompletion, logprobsAsked = false) {
  return normalizeCompletion(partial, usage, identity, newId, logprobsAsked)
}

function messageOf(message: PartialMessage) {
  return normalized({ choices: [{ index: 0, message }] }).choices[0]?.message
}

describe('normalizeCompletion', () => {
  it('has every key of the protocol that the vendor filled, in order', () => {
    const completion = normalized({ choices: [{ index: 0, message: { content: 'a' } }] })
    expect(JSON.stringify(completion)).toBe(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'm',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'a', refusal: null, annotations: [] },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage,
        system_fingerprint: null,
      }),
    )
  })

  it('numbers choices from 0 in the order of their indexes', () => {
    const choice = (index: number) => ({ index, message: { content: `at ${index}` } })
    const { choices } = normalized({ choices: [choice(7), choice(1), choice(3)] })
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'at 1'],
      [1, 'at 3'],
      [2, 'at 7'],
    ])
  })

  it('refuses an answer without a choice', () => {
    expect(() => normalized({ choices: [] })).toThrow(
      expect.objectContaining({ kind: 'garbled', message: 'The upstream answered without a choice.' }),
    )
  })

  it('has logprobs where they were asked for and given', () => {
    const partial = { choices: [{ index: 0, message: { content: 'a' }, logprobs }] }
    expect(normalized(partial).choices[0]?.logprobs).toBeNull()
    expect(normalized(partial, true).choices[0]?.logprobs).toBe(logprobs)
    expect(normalized({ choices: [{ index: 0, message: {} }] }, true).choices[0]?.logprobs).toBeNull()
  })

  it('tells the tier and the fingerprint that the vendor told', () => {
    const choices = [{ index: 0, message: {} }]
    expect(normalized({ choices, service_tier: 'flex', system_fingerprint: 'fp_1' })).toMatchObject({
      service_tier: 'flex',
      system_fingerprint: 'fp_1',
    })
    expect(normalized({ choices, system_fingerprint: '' }).system_fingerprint).toBeNull()
    expect(normalized({ choices, service_tier: 'auto' }).service_tier).toBe('auto')
    for (const silent of [{ choices }, { choices, service_tier: '' }]) {
      expect(normalized(silent)).not.toHaveProperty('service_tier')
    }
  })
})

describe('a message', () => {
  const bare = { role: 'assistant', content: '', refusal: null, annotations: [] }

  it('says an empty text where it says nothing', () => {
    expect(messageOf({})).toStrictEqual(bare)
    expect(messageOf({ content: null, refusal: '', tool_calls: [], reasoning_content: '' })).toStrictEqual(
      bare,
    )
  })

  it.each<[string, PartialMessage, object]>([
    ['a refusal', { refusal: 'No.' }, { refusal: 'No.' }],
    ['sound', { audio: { id: 'a' } }, { audio: { id: 'a' } }],
    [
      'a function',
      { function_call: { name: 'f', arguments: '{"a":1}' } },
      { function_call: { name: 'f', arguments: '{"a":1}' } },
    ],
    [
      'a function without arguments',
      { function_call: { name: 'f' } },
      { function_call: { name: 'f', arguments: '{}' } },
    ],
    [
      'a function without a name',
      { function_call: { arguments: '{}' } },
      { function_call: { name: '', arguments: '{}' } },
    ],
    [
      'a call',
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
      { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    ],
  ])('has no text beside %s, unless it was given', (_, partial, told) => {
    expect(messageOf(partial)).toStrictEqual({ ...bare, content: null, ...told })
    expect(messageOf({ ...partial, content: 'a' })).toStrictEqual({ ...bare, content: 'a', ...told })
  })

  it('keeps what was thought, and where it is from', () => {
    const extras = {
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'x' }],
      annotations: [{ type: 'url_citation' }],
      citations: [{ at: 1 }],
    }
    expect(messageOf({ content: 'a', ...extras })).toStrictEqual({ ...bare, content: 'a', ...extras })
  })
})

describe('finishReason', () => {
  it.each([
    [undefined, false, false, 'stop'],
    [null, false, false, 'stop'],
    ['stop', false, false, 'stop'],
    ['stop', true, false, 'tool_calls'],
    [undefined, true, true, 'tool_calls'],
    ['stop', false, true, 'function_call'],
    ['length', true, true, 'length'],
    ['content_filter', false, false, 'content_filter'],
  ] as const)('of %j, with tools %j, with a function %j is %j', (given, tools, called, reason) => {
    expect(finishReason(given, tools, called)).toBe(reason)
  })

  it('is put right in a whole answer', () => {
    const reasonOf = (message: PartialMessage) =>
      normalized({ choices: [{ index: 0, message, finish_reason: 'stop' }] }).choices[0]?.finish_reason
    expect(reasonOf({ tool_calls: [{ id: 'c', function: { name: 'f' } }] })).toBe('tool_calls')
    expect(reasonOf({ function_call: { name: 'f' } })).toBe('function_call')
    expect(reasonOf({ tool_calls: [] })).toBe('stop')
  })
})
