import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatCompletion } from '../../protocol/chat.ts'
import { completionText } from './completion-text.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ minLength: 190, maxLength: 210 }),
  fc.constantFrom('', '"', '\\', '\n', '\u2028', '\ud7ff', '\ud800', '\udfff', '\ue000', '\x7f', '\x1f'),
)
/** Whatever a provider of the user's making says, or a clock. */
const odd = fc.constantFrom<unknown>(7, true, [], { a: '"' })
const count = fc.oneof(fc.constant(0), fc.nat(), fc.constantFrom(1e9, Number.MAX_SAFE_INTEGER))
const details = fc.constantFrom([], [{ type: 'url_citation' }])

/** What a vendor adds. */
const fields = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 })

/** A member that is there or is not, which is not the same as one that is `undefined`. */
function optional<T>(name: string, value: fc.Arbitrary<T>) {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.constant({ [name]: undefined }),
    value.map(given => ({ [name]: given })),
  )
}

const message = fc
  .tuple(
    fc.record({ content: fc.oneof(fc.option(text), odd) }),
    optional('reasoning_content', text),
    optional(
      'tool_calls',
      fc.constant([{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }]),
    ),
    fc.record({
      refusal: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, text),
      annotations: details,
    }),
    optional('citations', details),
    optional('provider_specific_fields', fields),
  )
  .map(parts => Object.assign({ role: 'assistant' }, ...parts))

const completion = fc.record({
  id: text,
  object: fc.constant('chat.completion'),
  created: fc.oneof(count, fc.constant(Number.NaN)),
  model: text,
  choices: fc.array(
    fc
      .tuple(
        fc.record({
          index: fc.nat(128),
          message,
          logprobs: fc.constantFrom(null, null, { content: [], refusal: null }),
          finish_reason: fc.oneof(fc.constantFrom('stop', 'length', 'tool_calls'), text, odd),
        }),
        optional('provider_specific_fields', fields),
      )
      .map(parts => Object.assign({}, ...parts)),
    { maxLength: 3 },
  ),
  usage: fc
    .tuple(
      fc.record({
        prompt_tokens: count,
        completion_tokens: count,
        total_tokens: count,
        prompt_tokens_details: fc
          .tuple(
            fc.record({ cached_tokens: count, audio_tokens: count }),
            optional('cache_write_tokens', count),
          )
          .map(parts => Object.assign({}, ...parts)),
        completion_tokens_details: fc.record({
          reasoning_tokens: count,
          audio_tokens: count,
          accepted_prediction_tokens: count,
          rejected_prediction_tokens: count,
        }),
      }),
      optional('provider_specific_fields', fields),
    )
    .map(parts => Object.assign({}, ...parts)),
})

const end = fc.record({ system_fingerprint: fc.oneof(fc.option(text), odd) })
const answers = fc
  .tuple(
    completion,
    optional('service_tier', fc.oneof(text, odd)),
    end,
    optional('provider_specific_fields', fields),
  )
  .map(parts => Object.assign({}, ...parts)) as fc.Arbitrary<ChatCompletion>

describe('completionText', () => {
  it('is what JSON.stringify makes of the answer', () => {
    fc.assert(
      fc.property(answers, answer => {
        expect(completionText(answer)).toBe(JSON.stringify(answer))
      }),
      { numRuns: 500 },
    )
  })
})
