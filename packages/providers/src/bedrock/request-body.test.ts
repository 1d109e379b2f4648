import { describe, expect, it } from 'vitest'
import {
  type Asked,
  adjusted,
  bodyOf,
  encoded,
  llama,
  nova,
  refusal,
  sonnet45,
} from '../../test/bedrock/scripted-request.ts'

const reportsStop = { additionalModelResponseFieldPaths: ['/stop_sequence'] }

describe('the other parameters', () => {
  it.each<[string, Asked, object]>([
    ['max_tokens', { max_tokens: 5 }, { inferenceConfig: { maxTokens: 5 } }],
    ['max_completion_tokens', { max_completion_tokens: 6 }, { inferenceConfig: { maxTokens: 6 } }],
    ['temperature', { temperature: 0 }, { inferenceConfig: { temperature: 0 } }],
    ['top_p', { top_p: 0.9 }, { inferenceConfig: { topP: 0.9 } }],
    ['stop', { stop: 'END' }, { inferenceConfig: { stopSequences: ['END'] }, ...reportsStop }],
    ['stop', { stop: ['a', 'b'] }, { inferenceConfig: { stopSequences: ['a', 'b'] }, ...reportsStop }],
    ['top_k', { top_k: 40 }, { additionalModelRequestFields: { top_k: 40 } }],
    ['service_tier', { service_tier: 'flex' }, { serviceTier: { type: 'flex' } }],
    ['service_tier', { service_tier: 'auto' }, {}],
    ['metadata', { metadata: { team: 'a b:c' } }, { requestMetadata: { team: 'a b:c' } }],
    ['metadata', { metadata: {} }, {}],
    [
      'guardrailConfig',
      { guardrailConfig: { guardrailIdentifier: 'g' } },
      { guardrailConfig: { guardrailIdentifier: 'g' } },
    ],
    [
      'performanceConfig',
      { performanceConfig: { latency: 'optimized' } },
      { performanceConfig: { latency: 'optimized' } },
    ],
    ['promptVariables', { promptVariables: { a: { text: 'b' } } }, { promptVariables: { a: { text: 'b' } } }],
    [
      'requestMetadata',
      { metadata: { a: '1', b: '1' }, requestMetadata: { b: '2' } },
      { requestMetadata: { a: '1', b: '2' } },
    ],
    [
      'additionalModelRequestFields',
      { top_k: 5, additionalModelRequestFields: { anthropic_beta: ['x'] } },
      { additionalModelRequestFields: { top_k: 5, anthropic_beta: ['x'] } },
    ],
  ])('%s %j', async (_, asked, fields) => {
    const { body, adjustments } = await encoded(asked)
    expect(body).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }], ...fields })
    expect(adjustments).toEqual([])
  })

  it.each<[string, string, object]>([
    ['Nova', nova, { additionalModelRequestFields: { inferenceConfig: { topK: 7 } } }],
    ['others', llama, { additionalModelRequestFields: { top_k: 7 } }],
  ])('top_k for %s', async (_, model, fields) => {
    expect(await bodyOf({ top_k: 7 }, model)).toEqual({ messages: expect.anything(), ...fields })
  })

  it.each<[Asked, string, string]>([
    [{ temperature: 1.5 }, sonnet45, 'temperature unsupported_value'],
    [{ temperature: 1.5 }, nova, 'temperature unsupported_value'],
    [{ temperature: 0.5, top_p: 0.5 }, sonnet45, 'top_p unsupported_parameter'],
    [{ stop: ['ok', '\n'] }, sonnet45, 'stop unsupported_value'],
    [{ stop: '' }, nova, 'stop unsupported_value'],
    [{ n: 2 }, nova, 'n unsupported_parameter'],
    [{ logprobs: true }, nova, 'logprobs unsupported_parameter'],
    [{ logit_bias: { 1: 1 } }, nova, 'logit_bias unsupported_parameter'],
    [{ modalities: ['text', 'audio'] }, nova, 'modalities unsupported_parameter'],
    [{ web_search_options: {} }, nova, 'web_search_options unsupported_parameter'],
    [{ functions: [{ name: 'f' }] }, nova, 'functions unsupported_parameter'],
    [{ additionalModelRequestFields: 1 }, nova, 'additionalModelRequestFields invalid_type'],
  ])('refuses %j', async (asked, model, expected) => {
    expect(await refusal(asked, model)).toBe(expected)
  })

  it.each<[Asked, string, string[]]>([
    [{ temperature: 1.5 }, nova, ['temperature dropped']],
    [{ stop: ['ok', ' '] }, sonnet45, ['stop dropped']],
    [{ n: 2 }, nova, ['n dropped']],
  ])('leaves out %j where the owner chose so', async (asked, model, expected) => {
    expect(await adjusted(asked, model, 'drop')).toEqual(expected)
  })

  it.each<[Asked, string, string[]]>([
    [
      { seed: 1, user: 'u', safety_identifier: 's', store: true, verbosity: 'low', prompt_cache_key: 'k' },
      nova,
      [
        'seed dropped',
        'user dropped',
        'safety_identifier dropped',
        'store dropped',
        'verbosity dropped',
        'prompt_cache_key dropped',
      ],
    ],
    [{ presence_penalty: 1, frequency_penalty: 0 }, nova, ['presence_penalty dropped']],
    [{ service_tier: 'scale' }, nova, ['service_tier dropped']],
    [{ max_tokens: 5, max_completion_tokens: 6 }, nova, ['max_tokens dropped']],
    [
      { metadata: { ok: 'a', 'no!': 'b', long: 'c'.repeat(300), space: 'a\u00a0b' } },
      nova,
      ['metadata.no! dropped', 'metadata.long dropped', 'metadata.space dropped'],
    ],
    [{ something: 1 }, nova, ['something dropped']],
    // What it asks for has no place in the answer.
    [{ additionalModelResponseFieldPaths: ['/a'] }, nova, ['additionalModelResponseFieldPaths dropped']],
    [{ service_tier: 'flex', serviceTier: { type: 'reserved' } }, nova, ['service_tier dropped']],
    [{ service_tier: 'flex', serviceTier: null }, nova, []],
    [{ n: 1, logprobs: false, logit_bias: {}, store: false, parallel_tool_calls: true }, nova, []],
  ])('tells of %j', async (asked, model, expected) => {
    expect(await adjusted(asked, model)).toEqual(expected)
  })
})
