import type { PartialCompletion } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CompletionTemplate } from './completion-template.ts'
import { CompletionTemplates } from './completion-templates.ts'
import { parseChatCompletion } from './partial-completion.ts'
import { selectFields } from './provider-fields.ts'

/** As OpenAI writes it; with `given` in the place of what it has. */
function answer(given: object = {}, space?: number): string {
  const said = { role: 'assistant', content: 'Hello!', refusal: null, annotations: [] }
  const choice = { index: 0, message: said, logprobs: null, finish_reason: 'stop' }
  const usage = {
    prompt_tokens: 19,
    completion_tokens: 13,
    total_tokens: 32,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 5 },
  }
  const origin = { service_tier: 'default', system_fingerprint: 'fp_1' }
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_790_000_000, model: 'gpt-4o' }
  return JSON.stringify({ ...head, choices: [choice], usage, ...origin, ...given }, null, space)
}

const withMessage = (message: object, choice: object = {}) => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
})

function formOf(text: string): CompletionTemplate | undefined {
  return CompletionTemplate.of(text, parseChatCompletion(text), parseChatCompletion)
}

function outcome(read: () => PartialCompletion): unknown {
  try {
    return read()
  } catch (error) {
    return String(error)
  }
}

describe('CompletionTemplate', () => {
  it.each([undefined, 2])('reads answers of the same form, written with indentation %s', space => {
    const form = formOf(answer({}, space))!
    for (const content of ['Bye.', 'a "b"\n\\ \u2028 é 🙂', 'x'.repeat(500), '\\', '{"id":"']) {
      const other = {
        ...withMessage(
          { content, refusal: null, annotations: [] },
          { logprobs: null, finish_reason: 'stop' },
        ),
        id: 'chatcmpl-another',
        created: 7,
        usage: {
          prompt_tokens: 0,
          completion_tokens: 999_999_999_999_999,
          total_tokens: 1,
          prompt_tokens_details: { cached_tokens: 10, audio_tokens: 20 },
          completion_tokens_details: { reasoning_tokens: 30 },
        },
      }
      // Members in the order in which the first answer has them.
      const { choices, ...rest } = other
      const ordered = [{ index: 0, message: choices[0]!.message, logprobs: null, finish_reason: 'stop' }]
      const text = answer({ ...rest, choices: ordered }, space)
      expect(form.read(text)).toEqual(parseChatCompletion(text))
      expect(form.read(text)?.choices[0]?.message.content).toBe(content)
    }
  })

  it('does without usage, or with a part of it that is null', () => {
    for (const usage of [undefined, null, { prompt_tokens: 1, completion_tokens: 2, details: null }, {}]) {
      const text = answer({ usage })
      expect(formOf(text)?.read(text)).toEqual(parseChatCompletion(text))
    }
  })

  it('is none of an answer that says more, or of which the numbers are none', () => {
    const others = [
      withMessage({ content: 'a', reasoning_content: 'b' }),
      withMessage({
        content: 'a',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      withMessage({ content: null }),
      withMessage({ content: '' }),
      withMessage(
        { content: 'a' },
        { logprobs: { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }] } },
      ),
      {
        choices: [
          ...withMessage({ content: 'a' }).choices,
          { ...withMessage({ content: 'b' }).choices[0], index: 1 },
        ],
      },
      { usage: { prompt_tokens: 1, completion_tokens: 2, total_time: 0.25 } },
      { usage: { prompt_tokens: 1, completion_tokens: 2, a: { b: { c: 1 } } } },
      { usage: { prompt_tokens: 1, completion_tokens: -2 } },
      { x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } }, usage: undefined },
      { note: 'x'.repeat(2_000) },
    ]
    for (const given of others) expect(formOf(answer(given))).toBeUndefined()
  })

  it.each(['__proto__', 'constructor', 'toString'])('is none of a usage with a member %s', name => {
    const text = answer()
    for (const usage of [`{"${name}":{"polluted":1}}`, `{"a":{"${name}":1}}`, `{"${name}":1}`]) {
      expect(formOf(text.replace(/"usage":.*\}\}/, `"usage":${usage}`))).toBeUndefined()
    }
    expect('polluted' in {} || 'polluted' in Object).toBe(false)
  })

  it('is none of a text in which something that counts stands twice', () => {
    const text = answer()
    for (const twice of [
      '"id":"a",',
      '"usage":{"prompt_tokens":1},',
      `"choices":${JSON.stringify(withMessage({ content: 'z' }).choices)},`,
    ]) {
      expect(formOf(text.replace('{', `{${twice}`))).toBeUndefined()
    }
  })

  it('reads what would be parsed, or nothing, of any text', () => {
    const first = answer()
    const form = formOf(first)!
    const piece = fc.oneof(
      fc.constantFrom(
        '',
        '"',
        '\\',
        '\\"',
        ',',
        '0',
        '00',
        '-1',
        '1.5',
        '1e2',
        '\n',
        '\u0000',
        '{',
        '}',
        '"x":1,',
        '\\ud800',
        'null',
      ),
      fc.string({ maxLength: 4 }),
    )
    let read = 0
    fc.assert(
      fc.property(fc.nat(first.length), fc.nat(3), piece, (at, length, put) => {
        const text = first.slice(0, at) + put + first.slice(at + length)
        const completion = form.read(text)
        if (completion === undefined) return
        read++
        expect(completion).toEqual(parseChatCompletion(text))
      }),
      { numRuns: 20_000 },
    )
    expect(read).toBeGreaterThan(100)
  })
})

describe('CompletionTemplates', () => {
  it('returns what parseChatCompletion does, in whatever order templates come', () => {
    const reasons = [
      'stop',
      'length',
      'content_filter',
      'eos',
      'max_tokens',
      'tool_calls',
      'error',
      'refusal',
    ]
    const any = fc.record({
      content: fc.string({ unit: 'binary', maxLength: 30 }),
      finish_reason: fc.constantFrom(...reasons),
      service_tier: fc.constantFrom('default', 'flex'),
      tokens: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), answers => {
        const forms = new CompletionTemplates()
        for (const { content, finish_reason, service_tier, tokens } of answers) {
          const usage = { prompt_tokens: tokens, completion_tokens: 1 }
          const text = answer({ ...withMessage({ content }, { finish_reason }), service_tier, usage })
          expect(outcome(() => forms.read(text))).toEqual(outcome(() => parseChatCompletion(text)))
        }
      }),
    )
  })

  it('returns what parseChatCompletion does of provider-specific fields, wherever they are', () => {
    const value = fc.constantFrom<unknown>(undefined, null, {}, 7, 8, 'a', { a: 1 }, { a: 2, b: 3 }, [1])
    const any = fc.record({
      content: fc.constantFrom('Hello!', 'Bye.'),
      id: fc.constantFrom('a', 'b'),
      trace: value,
      filter: value,
      tools: value,
      cost: value,
      details: value,
    })
    const declared = [
      { response: ['trace'], choice: ['filter'], message: ['tools'], usage: ['cost', 'details.a'] },
      { response: ['trace.a', 'id'], usage: ['prompt_tokens'] },
      { message: ['content'] },
      { usage: ['cost.a', 'details'] },
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...declared),
        fc.array(any, { minLength: 2, maxLength: 12 }),
        (given, answers) => {
          const extras = { fields: selectFields(given, 'acme'), numberedCitations: false }
          const forms = new CompletionTemplates(extras)
          for (const { content, id, trace, filter, tools, cost, details } of answers) {
            const usage = { prompt_tokens: 5, completion_tokens: 1, cost, details }
            const text = answer({ ...withMessage({ content, tools }, { filter }), id, trace, usage })
            const expected = parseChatCompletion(text, extras)
            expect(forms.read(text)).toEqual(expected)
            // Once more, now that it may have a template.
            expect(forms.read(text)).toEqual(expected)
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('has templates of answers whose fields are the same in all', () => {
    const extras = {
      fields: selectFields({ response: ['trace'], choice: ['filter'], usage: ['cost'] }, 'acme'),
      numberedCitations: false,
    }
    const parse = (text: string) => parseChatCompletion(text, extras)
    const text = (cost: number, given: object = {}) =>
      answer({
        ...withMessage({ content: 'a' }, { filter: 'x' }),
        usage: { prompt_tokens: 1, cost },
        ...given,
      })
    const form = CompletionTemplate.of(text(1), parse(text(1)), parse, extras.fields)!
    expect(form.read(text(2))).toEqual(parse(text(2)))
    expect(form.read(text(2))?.usage?.provider_specific_fields).toEqual({ cost: 2 })
    expect(form.read(text(2, { trace: 1 }))).toBeUndefined()
  })

  it('reads answers of any length, before it knows a form and after', () => {
    const forms = new CompletionTemplates()
    for (const content of ['x'.repeat(20_000_000), 'x', 'a"\n'.repeat(5_000_000), 'x'.repeat(20_000_000)]) {
      const text = answer(withMessage({ content }))
      expect(forms.read(text).choices[0]?.message.content === content).toBe(true)
    }
  })

  it('throws what parseChatCompletion throws', () => {
    const forms = new CompletionTemplates()
    forms.read(answer())
    for (const text of [
      '',
      '{',
      answer({ choices: [] }),
      answer({ error: { message: 'no' } }),
      answer().slice(0, -1),
    ]) {
      expect(outcome(() => forms.read(text))).toEqual(outcome(() => parseChatCompletion(text)))
    }
  })
})
