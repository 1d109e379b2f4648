import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base, errorFrom, live, profiles, refuses, strict, target } from '../../../test/validate-cases.ts'

describe('C79 one fault of several', () => {
  const faults: readonly (readonly [string, object])[] = [
    ['messages', { messages: 'x' }],
    ['functions', { functions: 'x' }],
    ['tools', { tools: 'x' }],
    ['parallel_tool_calls', { parallel_tool_calls: 'x' }],
    ['max_completion_tokens', { max_completion_tokens: 'x' }],
    ['n', { n: 0 }],
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: 3 }],
    ['presence_penalty', { presence_penalty: 3 }],
    ['frequency_penalty', { frequency_penalty: 3 }],
    ['logprobs', { logprobs: 'x' }],
    ['top_logprobs', { top_logprobs: 'x' }],
    ['user', { user: 5 }],
    ['seed', { seed: 'x' }],
    ['safety_identifier', { safety_identifier: 5 }],
    ['prompt_cache_key', { prompt_cache_key: 5 }],
    ['service_tier', { service_tier: 'x' }],
    ['stream', { stream: 'x' }],
    ['store', { store: 'x' }],
    ['metadata', { metadata: 'x' }],
    ['verbosity', { verbosity: 'x' }],
  ]

  it('is the first in the order of the protocol, however they are sent', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(faults.slice(), { minLength: 1 }),
        fc.constantFrom(...profiles),
        (subset, rules) => {
          const error = refuses(Object.assign({}, ...subset.map(([, body]) => body)), rules)
          expect(error.param).toBe(faults.find(fault => subset.includes(fault))?.[0])
        },
      ),
    )
  })

  it('is the missing messages, then the unknown field, then the rest', () => {
    expect(errorFrom({ model: 'm', foo: 1, temperature: 3 }, strict).param).toBe('messages')
    expect(refuses({ messages: 'x', foo: 1 }, strict).param).toBe('foo')
  })

  it('is a field before the model, and the model before the conversation', () => {
    const reasoning = [target({ reasoning: true })]
    const orphan = [{ role: 'tool', tool_call_id: 'x', content: 'x' }]
    const given = { ...base, messages: orphan, max_tokens: 5 }
    expect(errorFrom({ ...given, verbosity: 'x' }, live, reasoning).param).toBe('verbosity')
    expect(errorFrom(given, live, reasoning).param).toBe('max_tokens')
    expect(errorFrom({ ...base, messages: orphan }, live, reasoning).param).toBe('messages.[0].role')
  })

  it('is the first message with a fault', () => {
    expect(refuses({ messages: [{ role: 'user', content: 7 }, { role: 'x' }] }).param).toBe(
      'messages[0].content',
    )
  })
})
