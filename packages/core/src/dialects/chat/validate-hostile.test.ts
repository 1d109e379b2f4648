import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check, live, profiles, refuses, schema, strict, target } from '../../../test/validate-cases.ts'
import { GatewayError } from '../../errors/errors.ts'

describe('hostile requests', () => {
  const json = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', 'user', 'text', 'function', 'json_schema', 'x'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(
          'role',
          'content',
          'type',
          'text',
          'function',
          'name',
          'image_url',
          'url',
          'json_schema',
          'tool_calls',
          'id',
          '__proto__',
          'constructor',
        ),
        tie('value'),
        { maxKeys: 5 },
      ),
    ),
  })).value
  const names = [
    'messages',
    'tools',
    'tool_choice',
    'functions',
    'function_call',
    'stop',
    'metadata',
    'logit_bias',
    'response_format',
    'audio',
    'prediction',
    'modalities',
    'web_search_options',
    'stream_options',
    'moderation',
    'temperature',
    'max_tokens',
    'n',
    'x',
  ]

  it('throws nothing but GatewayError, whatever the body', () => {
    const rules = fc.constantFrom(schema, live, strict)
    const targets = fc.constantFrom([target()], [target({ input: [], reasoning: true, maxChoices: 1 })])
    const message = fc.oneof(
      json,
      fc.record(
        { role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'), content: json },
        { requiredKeys: [] },
      ),
    )
    const body = fc.tuple(
      fc.dictionary(fc.constantFrom(...names), json),
      fc.option(fc.array(message, { maxLength: 4 })),
    )
    fc.assert(
      fc.property(body, rules, targets, ([fields, messages], profile, places) => {
        const given = messages === null ? fields : { ...fields, messages }
        try {
          expect(check({ model: 'm', ...given }, profile, places).targets.length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
          expect((error as GatewayError).status).toBe(400)
          expect(JSON.stringify((error as GatewayError).toBody()).length).toBeLessThan(4096)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('passes every valid request, and hands it on as it came', () => {
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value)
    const text = fc.string()
    const part = fc.oneof(
      fc.record({ type: fc.constant('text'), text }),
      fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.webUrl() }) }),
    )
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom('system', 'developer'), content: text }),
      fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(part)) }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }))),
      }),
    )
    const valid = fc.record(
      {
        messages: fc.array(message, { minLength: 1, maxLength: 5 }),
        temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
        top_p: optional(fc.double({ min: 0, max: 1, noNaN: true })),
        n: optional(fc.integer({ min: 1, max: 128 })),
        max_tokens: optional(fc.integer({ min: 1 })),
        seed: optional(fc.maxSafeInteger()),
        stop: optional(fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 }))),
        stream: optional(fc.boolean()),
        metadata: optional(fc.dictionary(fc.string({ maxLength: 64 }), text, { maxKeys: 16 })),
        logit_bias: optional(fc.dictionary(fc.nat().map(String), fc.integer({ min: -100, max: 100 }))),
        reasoning_effort: optional(
          fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
        ),
        tools: optional(
          fc.array(
            fc.record({
              type: fc.constant('function'),
              function: fc.record({
                name: fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/),
                parameters: fc.dictionary(text, fc.jsonValue()),
              }),
            }),
            { minLength: 1, maxLength: 4 },
          ),
        ),
        vendor_extra: fc.jsonValue(),
      },
      { requiredKeys: ['messages'] },
    )
    fc.assert(
      fc.property(valid, fc.constantFrom(...profiles), (given, rules) => {
        const body = { model: 'm', ...given }
        const input = check(body, rules).request.chat()
        expect({ ...input }).toEqual(
          Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
        )
        expect(input.messages).toBe(body.messages)
      }),
      { numRuns: 500 },
    )
  })

  const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item)
  it.each([
    ['messages', { messages: many(99_000, 7) }],
    ['broken parts', { messages: [{ role: 'user', content: many(99_000, {}) }] }],
    ['stop strings', { stop: many(99_000, 'x') }],
    ['tools', { tools: many(99_000, {}) }],
    ['metadata', { metadata: Object.fromEntries(many(99_000, 'x').map((value, i) => [`k${i}`, value])) }],
    ['biases', { logit_bias: Object.fromEntries(many(99_000, 'x').map((value, i) => [`${i}`, value])) }],
    ['tool calls', { messages: [{ role: 'assistant', content: '', tool_calls: many(30_000, { id: 'x' }) }] }],
    ['a long string', { stop: [1], user: 'x'.repeat(25_000_000), safety_identifier: 'x'.repeat(25_000_000) }],
    ['a long name', { tools: [{ type: 'function', function: { name: 'x'.repeat(25_000_000) } }] }],
    ['a long role', { messages: [{ role: 'x'.repeat(25_000_000), content: '' }] }],
  ])('F21 refuses many or long %s without much work', (_, given) => {
    refuses({ temperature: 3 })
    const start = performance.now()
    const error = refuses(given)
    expect(performance.now() - start).toBeLessThan(2000)
    expect(JSON.stringify(error.toBody()).length).toBeLessThan(600)
  })
})
