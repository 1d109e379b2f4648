import type { Call, ChatRequest, UnsupportedParameters } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeChatCompletions } from '../chat-completions.ts'
import { presets } from '../presets.ts'
import { type CompatibilityOptions, openaiCompatibility } from './compatibility-options.ts'

const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hello' }]

function sent(
  compatibility: CompatibilityOptions,
  fields: object,
  unsupportedParameters?: UnsupportedParameters,
) {
  const call: Call = {
    input: { model: 'public', messages, ...fields } as ChatRequest,
    model: 'm',
    ...(unsupportedParameters === undefined ? {} : { unsupportedParameters }),
  }
  const { body, adjustments } = encodeChatCompletions(call, {
    url: 'https://a.example',
    compatibility: compatibility,
  })
  const { model, ...rest } = JSON.parse(String(body)) as Record<string, unknown>
  expect(model).toBe('m')
  return { body: rest, adjustments: adjustments?.map(({ action, parameter }) => `${parameter} ${action}`) }
}

const strange = 'not known to this vendor'
/** An answer of another vendor, as a client gives it back. */
const earlier = {
  role: 'assistant',
  content: 'a',
  refusal: null,
  annotations: [{ type: 'url_citation' }],
  reasoning_content: 'hm',
  reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 's', format: 'anthropic-claude-v1' }],
  cache_control: { type: 'ephemeral' },
  tool_calls: [
    {
      index: 0,
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra_content: { google: { thought_signature: 't' } },
    },
  ],
}
const { reasoning_content: _text, reasoning_details: _details, cache_control: _mark, ...rest } = earlier
const plain = {
  role: 'assistant',
  content: 'a',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
}

describe('what is left out of a request', () => {
  it('takes out what would steer another gateway, and leaves what is only unknown', () => {
    expect(sent({}, { api_base: 'https://evil.example', extra_body: { api_key: 'k' }, top_k: 4 })).toEqual({
      body: { messages, top_k: 4 },
      adjustments: ['api_base dropped', 'extra_body dropped'],
    })
  })

  it('is told of, but for what asks for nothing', () => {
    const fields = {
      store: true,
      user: 'u',
      metadata: { a: 'b' },
      service_tier: 'auto',
      n: 1,
      logprobs: false,
    }
    expect(sent(presets.groq, fields)).toEqual({
      body: { messages, user: 'u', service_tier: 'auto' },
      adjustments: ['store dropped', 'metadata dropped'],
    })
    expect(sent(presets.cerebras, { service_tier: 'auto' })).toEqual({
      body: { messages },
      adjustments: undefined,
    })
    expect(sent(presets.cerebras, { service_tier: 'flex' }).adjustments).toEqual(['service_tier dropped'])
  })

  it('is a refusal where the answer would be another, unless the owner chose to drop it', () => {
    const fields = { n: 2, logprobs: true, temperature: 1 }
    expect(() => sent(presets.groq, fields)).toThrow(
      expect.objectContaining({ status: 400, code: 'unsupported_parameter', param: 'n' }),
    )
    expect(sent(presets.groq, fields, 'drop')).toEqual({
      body: { messages, temperature: 1 },
      adjustments: ['n dropped', 'logprobs dropped'],
    })
  })

  it('goes for names of messages too; that of a tool is known by its call', () => {
    const named = [
      { role: 'user', content: 'a', name: 'Ann' },
      { role: 'tool', content: 'b', tool_call_id: 'c', name: 'f' },
    ]
    expect(() => sent(presets.groq, { messages: named })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'messages[0].name' }),
    )
    expect(sent(presets.groq, { messages: named }, 'drop')).toEqual({
      body: {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'tool', content: 'b', tool_call_id: 'c' },
        ],
      },
      adjustments: ['messages[0].name dropped', 'messages[1].name dropped'],
    })
    expect(sent(presets.groq, { messages: named.slice(1) }).adjustments).toEqual(['messages[0].name dropped'])
  })

  it('is not told of where only its name is another', () => {
    const fields = {
      seed: 7,
      max_completion_tokens: 9,
      tool_choice: 'required',
      messages: [{ role: 'developer', content: 'a' }],
    }
    expect(sent(presets.mistral, fields)).toEqual({
      body: {
        random_seed: 7,
        max_tokens: 9,
        tool_choice: 'any',
        messages: [{ role: 'system', content: 'a' }],
      },
      adjustments: undefined,
    })
  })

  it('is never one of two values under two names', () => {
    expect(() => sent(presets.mistral, { seed: 7, random_seed: 8 })).toThrow(
      expect.objectContaining({ code: 'invalid_parameter_combination', param: 'seed' }),
    )
    expect(sent(presets.mistral, { seed: 7, random_seed: 7 }).body.random_seed).toBe(7)
  })

  it('tells the place and the reason', () => {
    const call: Call = { input: { model: 'm', messages: [earlier as never] }, model: 'm' }
    const { adjustments } = encodeChatCompletions(call, {
      url: 'https://a.example',
      compatibility: openaiCompatibility,
    })
    expect(adjustments?.[0]).toEqual({
      parameter: 'messages[0].reasoning_content',
      action: 'dropped',
      detail: strange,
    })
  })
})

describe('what an earlier answer carried', () => {
  it.each<[string, CompatibilityOptions, object, readonly string[]]>([
    [
      'nothing',
      openaiCompatibility,
      plain,
      ['reasoning_content', 'reasoning_details', 'cache_control', 'tool_calls[0].extra_content'],
    ],
    [
      'nothing',
      presets.mistral,
      { ...plain, tool_calls: [{ ...plain.tool_calls[0], id: 'c00000000' }] },
      ['reasoning_content', 'reasoning_details', 'cache_control', 'tool_calls[0].extra_content'],
    ],
    [
      'the reasoning',
      presets.fireworks,
      { ...plain, reasoning_content: 'hm' },
      ['reasoning_details', 'cache_control', 'tool_calls[0].extra_content'],
    ],
    [
      'signatures and marks, with whatever else it has',
      presets.openrouter,
      { ...earlier, tool_calls: [{ index: 0, ...plain.tool_calls[0] }] },
      ['tool_calls[0].extra_content'],
    ],
    [
      'the reasoning, under a name of its own',
      presets.vllm,
      { ...rest, reasoning: 'hm', tool_calls: [{ index: 0, ...plain.tool_calls[0] }] },
      ['reasoning_details', 'cache_control', 'tool_calls[0].extra_content'],
    ],
    ['everything', presets.together, earlier, []],
    ['everything, where nothing is known', {}, earlier, []],
  ])('goes back to a vendor that takes %s (%#)', (_name, compatibility, message, dropped) => {
    const { body, adjustments = [] } = sent(compatibility, { messages: [earlier] })
    expect(body.messages).toEqual([message])
    expect(adjustments).toEqual(dropped.map(path => `messages[0].${path} dropped`))
  })

  it.each<[string, CompatibilityOptions]>([
    ['knows no unknown fields', openaiCompatibility],
    ['takes some', presets.openrouter],
    ['takes any', presets.together],
  ])("goes without another vendor's fields to one that %s", (_name, compatibility) => {
    const message = { ...plain, provider_specific_fields: { executed_tools: [1] } }
    expect(sent(compatibility, { messages: [message] })).toEqual({
      body: { messages: [plain] },
      adjustments: undefined,
    })
    const taking = { ...compatibility, extensions: ['provider_specific_fields'] }
    expect(sent(taking, { messages: [message] }).body.messages).toEqual([message])
  })

  it('is not changed in the request of the caller', () => {
    const before = structuredClone(earlier)
    sent(openaiCompatibility, { messages: [earlier] })
    expect(earlier).toEqual(before)
  })

  it('is told of only where it says something', () => {
    const message = {
      ...plain,
      reasoning_content: '',
      reasoning_details: [],
      audio: null,
      function_call: null,
    }
    expect(sent(openaiCompatibility, { messages: [message] })).toEqual({
      body: { messages: [plain] },
      adjustments: undefined,
    })
  })

  it("has its reasoning under the vendor's name, which wins where both are given", () => {
    const compatibility: CompatibilityOptions = { reasoningField: 'thoughts' }
    const given = (more: object) => [{ role: 'assistant', content: 'a', ...more }]
    const sentFor = (more: object) => sent(compatibility, { messages: given(more) }).body.messages
    expect(sentFor({ reasoning_content: 'hm' })).toEqual(given({ thoughts: 'hm' }))
    expect(sentFor({ reasoning_content: 'hm', thoughts: 'own' })).toEqual(given({ thoughts: 'own' }))
    expect(sentFor({})).toEqual(given({}))
    const user = [{ role: 'user', content: 'a', reasoning_content: 'b' }]
    expect(sent(compatibility, { messages: user }).body.messages).toEqual(user)
  })

  it('holds citations, which say nothing to a model; to ask for some does', () => {
    const cited = { role: 'assistant', content: 'a', citations: [{ type: 'file_citation' }] }
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }
    const asking = { role: 'user', content: [{ ...file, citations: { enabled: true } }] }
    expect(sent(openaiCompatibility, { messages: [cited, asking] })).toEqual({
      body: {
        messages: [
          { role: 'assistant', content: 'a' },
          { role: 'user', content: [file] },
        ],
      },
      adjustments: ['messages[1].content[0].citations dropped'],
    })
  })

  it("may have a strict vendor's own fields", () => {
    const prefix = { role: 'assistant', content: '{', prefix: true }
    expect(sent(presets.mistral, { messages: [prefix] })).toEqual({
      body: { messages: [prefix] },
      adjustments: undefined,
    })
    expect(sent(presets.groq, { messages: [prefix] }).adjustments).toEqual(['messages[0].prefix dropped'])
  })
})

describe('marks for caches', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const marked = {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark }], ...mark }],
    tools: [
      { type: 'function', function: { name: 'f', ...mark }, ...mark },
      { type: 'custom', custom: { name: 'g' }, ...mark },
    ],
  }

  it('go to a vendor that takes them', () => {
    expect(sent(presets.openrouter, marked)).toEqual({ body: marked, adjustments: undefined })
  })

  it('are left out for another', () => {
    expect(sent(openaiCompatibility, marked)).toEqual({
      body: {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'custom', custom: { name: 'g' } },
        ],
      },
      adjustments: [
        'messages[0].cache_control dropped',
        'messages[0].content[0].cache_control dropped',
        'tools[0].cache_control dropped',
        'tools[0].function.cache_control dropped',
        'tools[1].cache_control dropped',
      ],
    })
  })
})

describe('whatever is asked', () => {
  const text = fc.string({ maxLength: 8 })
  const extras = fc.record(
    {
      name: text,
      reasoning_content: text,
      reasoning_details: fc.array(fc.dictionary(text, text), { maxLength: 2 }),
      cache_control: fc.constant({ type: 'ephemeral' }),
      made_up: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const message = fc
    .tuple(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'), text, extras)
    .map(([role, content, more]) => ({
      role,
      content,
      ...(role === 'tool' ? { tool_call_id: 'c' } : {}),
      ...more,
    }))
  const parameters = fc.record(
    {
      n: fc.integer({ min: 1, max: 3 }),
      seed: fc.integer(),
      logprobs: fc.boolean(),
      logit_bias: fc.dictionary(text, fc.integer()),
      user: text,
      store: fc.boolean(),
      service_tier: fc.constantFrom('auto', 'flex'),
      presence_penalty: fc.integer({ min: -2, max: 2 }),
      max_tokens: fc.nat(),
      made_up: fc.string({ minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  const dialects = fc.constantFrom<CompatibilityOptions[]>(openaiCompatibility, {}, ...Object.values(presets))

  it('no message and no parameter is lost without a word', () => {
    fc.assert(
      fc.property(
        dialects,
        fc.array(message, { minLength: 1 }),
        parameters,
        (compatibility, given, fields) => {
          const { body, adjustments = [] } = sent(compatibility, { ...fields, messages: given }, 'drop')
          const out = body.messages as readonly Record<string, unknown>[]
          expect(out.map(({ content }) => content)).toEqual(given.map(({ content }) => content))
          const values = Object.values(body)
          const neutral: readonly unknown[] = [1, false, 0, 'auto', '{}']
          for (const [name, value] of Object.entries(fields)) {
            const known = values.some(other => JSON.stringify(other) === JSON.stringify(value))
            const told = adjustments.includes(`${name} dropped`)
            const nothing = neutral.includes(typeof value === 'object' ? JSON.stringify(value) : value)
            expect(known || told || nothing, name).toBe(true)
          }
          for (const [index, { reasoning_content: reasoning }] of given.entries()) {
            if (!reasoning) continue
            const told = adjustments.includes(`messages[${index}].reasoning_content dropped`)
            const theirs = compatibility.reasoningField ?? 'reasoning_content'
            const field = given[index]?.role === 'assistant' ? theirs : 'reasoning_content'
            expect(told).toBe(out[index]?.[field] !== reasoning)
          }
        },
      ),
    )
  })
})
