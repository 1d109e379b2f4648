import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  PartialChunk,
  PartialChunkChoice,
  PartialCompletion,
  PartialMessage,
  PartialToolCall,
} from '../contracts/provider.ts'
import { normalizeChunks } from '../normalization/stream.ts'
import { chunksOfCompletion, foldChunks } from './fold-chunks.ts'

const chunk = (delta: PartialMessage, more: Partial<PartialChunkChoice> = {}): PartialChunk => ({
  choices: [{ index: 0, delta, ...more }],
})
const folded = (...deltas: PartialMessage[]) =>
  foldChunks([chunk({}), ...deltas.map(delta => chunk(delta))]).choices[0]!.message
const callsOf = (...parts: PartialToolCall[]) =>
  folded(...parts.map(part => ({ tool_calls: [part] }))).tool_calls

// Arbitraries of what providers answer.

const text = fc.string({ unit: 'binary', maxLength: 12 })
const name = fc.oneof(
  { weight: 9, arbitrary: fc.string({ maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant('__proto__') },
)
const json = fc.jsonValue({ maxDepth: 1 })
const object = fc
  .uniqueArray(fc.tuple(name, json), { selector: ([key]) => key, maxLength: 3 })
  .map(
    entries =>
      JSON.parse(
        `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)}}`,
      ) as Record<string, never>,
  )
const objects = fc.array(object, { maxLength: 3 })
const call: fc.Arbitrary<PartialToolCall> = fc.oneof(
  fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', ''),
      type: fc.constant('function' as const),
      function: fc.record({ name: text, arguments: text }, { noNullPrototype: true, requiredKeys: ['name'] }),
      extra_content: object,
    },
    { noNullPrototype: true, requiredKeys: ['function'] },
  ),
  fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c'),
      type: fc.constant('custom' as const),
      custom: fc.record({ name: text, input: text }, { noNullPrototype: true }),
    },
    { noNullPrototype: true, requiredKeys: ['type', 'custom'] },
  ),
)
const message: fc.Arbitrary<PartialMessage> = fc.record(
  {
    content: fc.option(text),
    refusal: fc.option(text),
    reasoning_content: text,
    reasoning_details: objects,
    annotations: objects,
    citations: objects,
    tool_calls: fc.array(call, { maxLength: 4 }),
    function_call: fc.record({ name: text, arguments: text }, { noNullPrototype: true, requiredKeys: [] }),
    audio: object,
    provider_specific_fields: object,
  },
  { noNullPrototype: true, requiredKeys: [] },
)
const token = text.map(token => ({ token, logprob: -1, bytes: null, top_logprobs: [] }))
const tokens = fc.option(fc.array(token, { maxLength: 3 }))
const finish = fc.constantFrom('stop' as const, 'length' as const, 'tool_calls' as const, null)
const completion: fc.Arbitrary<PartialCompletion> = fc.record(
  {
    choices: fc.uniqueArray(
      fc.record(
        {
          index: fc.nat(5),
          message,
          logprobs: fc.option(fc.record({ content: tokens, refusal: tokens }, { noNullPrototype: true })),
          finish_reason: finish,
          provider_specific_fields: object,
        },
        { noNullPrototype: true, requiredKeys: ['index', 'message'] },
      ),
      { selector: ({ index }) => index, maxLength: 3 },
    ),
    model: text,
    usage: fc.record(
      { prompt_tokens: fc.nat(), completion_tokens: fc.nat(), provider_specific_fields: object },
      { noNullPrototype: true, requiredKeys: [] },
    ),
    service_tier: text,
    system_fingerprint: fc.option(text),
    provider_specific_fields: object,
  },
  { noNullPrototype: true, requiredKeys: ['choices'] },
)

describe('foldChunks', () => {
  it('returns the completion that it is given as chunks', () => {
    fc.assert(
      fc.property(completion, given => {
        expect(foldChunks(chunksOfCompletion(given))).toStrictEqual(given)
      }),
    )
  })

  it('returns the same however the answer is cut into chunks', () => {
    const piece = fc.oneof(
      text.map(content => ({ content })),
      text.map(reasoning_content => ({ reasoning_content })),
      text.map(refusal => ({ refusal })),
      fc.tuple(fc.nat(2), text).map(([index, part]) => ({
        tool_calls: [{ index, function: { arguments: part } }],
      })),
      objects.map(annotations => ({ annotations })),
      object.map(fields => ({ provider_specific_fields: fields })),
    ) as fc.Arbitrary<PartialMessage>
    const pieces = fc.array(fc.record({ index: fc.nat(2), delta: piece }), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.nat(3)), (choices, sizes) => {
        const one = foldChunks([{ choices }])
        const apart = choices.flatMap(choice => cut(choice, sizes.next().value))
        expect(foldChunks(apart.map(choice => ({ choices: [choice] })))).toStrictEqual(one)
        const grouped: PartialChunk[] = []
        for (let at = 0; at < apart.length; ) {
          const next = at + sizes.next().value
          grouped.push({ choices: apart.slice(at, next) })
          at = next
        }
        expect(foldChunks(grouped)).toStrictEqual(one)
      }),
    )
  })

  it('assigns parts to tool calls as streams do', () => {
    const part: fc.Arbitrary<PartialToolCall> = fc
      .record(
        {
          index: fc.nat(2),
          id: fc.constantFrom('a', 'b', ''),
          name: fc.constantFrom('f', 'g'),
          arguments: text,
        },
        { noNullPrototype: true, requiredKeys: [] },
      )
      .map(({ name, arguments: added, ...rest }) => ({
        ...rest,
        function: { ...(name !== undefined && { name }), ...(added !== undefined && { arguments: added }) },
      }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const chunks = parts.map(one => chunk({ tool_calls: [one] }))
        const deltas =
          parts.length === 0 ? [] : normalizeChunks(chunks, () => 'x', { choices: 1, logprobs: false })
        const streamed: string[][] = []
        for (const { index, function: added } of deltas.flatMap(({ delta }) => delta.tool_calls ?? [])) {
          streamed[index!] ??= ['', '']
          streamed[index!]![0] += added?.name ?? ''
          streamed[index!]![1] += added?.arguments ?? ''
        }
        const calls = callsOf(...parts) ?? []
        expect(calls.map(({ function: f }) => f?.arguments || '{}')).toEqual(streamed.map(([, args]) => args))
        // A stream has no name for a call whose text precedes it.
        const named = calls.map(({ function: f }, nth) => streamed[nth]![0] && (f?.name ?? ''))
        expect(named).toEqual(streamed.map(([called]) => called))
      }),
    )
  })

  it('joins the parts of a call by index, by id, and without either', () => {
    const f = (name: string, args: string) =>
      ({ type: 'function', function: { name, arguments: args } }) as const
    const rest = (args: string) => ({ function: { arguments: args } })
    const expected = [
      { id: 'a', ...f('f', '{"x":1}') },
      { id: 'b', ...f('g', '{}') },
    ]
    expect(
      callsOf(
        { index: 0, id: 'a', ...f('f', '') },
        { index: 1, id: 'b', ...f('g', '{') },
        { index: 0, ...rest('{"x":1}') },
        { index: 1, ...rest('}') },
      ),
    ).toStrictEqual(expected)
    expect(
      callsOf(
        { id: 'a', ...f('f', '') },
        { id: 'b', ...f('g', '{') },
        { id: 'a', ...rest('{"x":1}') },
        { id: 'b', ...rest('}') },
      ),
    ).toStrictEqual(expected)
    expect(callsOf(f('f', '{"x"'), rest(':1}'), f('g', '{'), rest('}'))).toStrictEqual(
      expected.map(({ id, ...one }) => one),
    )
  })

  it('separates calls that share an id or an index', () => {
    const named = (name: string) => ({ function: { name, arguments: '{}' } })
    expect(callsOf({ index: 0, id: 'a', ...named('f') }, { index: 1, id: 'a', ...named('f') })).toHaveLength(
      2,
    )
    expect(callsOf({ index: 0, id: 'a', ...named('f') }, { index: 0, id: 'b', ...named('f') })).toHaveLength(
      2,
    )
  })

  it('joins audio, and replaces what is not text', () => {
    const audio = [
      { id: 'x', data: 'QUE=' },
      { data: 'QUI=', transcript: 'a' },
      { transcript: 'b', expires_at: 7 },
    ]
    expect(folded(...audio.map(one => ({ audio: one }))).audio).toStrictEqual({
      id: 'x',
      data: 'QUE=QUI=',
      transcript: 'ab',
      expires_at: 7,
    })
  })

  it('has the last value of each field that the vendor adds, at every level', () => {
    const fields = (value: number) => ({ provider_specific_fields: { same: value, [`own${value}`]: value } })
    const at = (value: number): PartialChunk => ({
      choices: [{ index: 0, delta: fields(value), ...fields(value) }],
      usage: { prompt_tokens: value, ...fields(value) },
      ...fields(value),
    })
    const expected = { provider_specific_fields: { same: 2, own1: 1, own2: 2 } }
    expect(foldChunks([at(1), at(2)])).toStrictEqual({
      choices: [{ index: 0, message: expected, ...expected }],
      usage: { prompt_tokens: 2, ...expected },
      ...expected,
    })
  })

  it('has the first finish reason, unless that is stop', () => {
    const ended = (...reasons: PartialChunkChoice['finish_reason'][]) =>
      foldChunks(reasons.map(finish_reason => chunk({}, { finish_reason: finish_reason! }))).choices[0]!
        .finish_reason
    expect(ended(null, 'stop', null)).toBe('stop')
    expect(ended('stop', 'length')).toBe('length')
    expect(ended('length', 'stop')).toBe('length')
  })

  it('keeps members of the name __proto__, and no prototype by them', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, never>
    const { provider_specific_fields: fields, audio } = folded(
      { provider_specific_fields: hostile, audio: hostile },
      { provider_specific_fields: { a: 1 }, audio: { id: 'a' } },
    )
    for (const object of [fields, audio]) {
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
      expect(Object.keys(object!)).toContain('__proto__')
      expect(object).not.toHaveProperty('polluted')
    }
  })

  it('leaves the chunks as they are', () => {
    const given = [chunk({ annotations: [{ a: 1 }], tool_calls: [{ index: 0, function: { name: 'f' } }] })]
    const before = structuredClone(given)
    foldChunks([...given, ...given])
    expect(given).toEqual(before)
  })

  it.each<[string, (n: number) => PartialChunk]>([
    ['text', () => chunk({ content: 'ab', reasoning_content: 'c', refusal: 'd' })],
    ['lists', n => chunk({ reasoning_details: [{ n }], annotations: [{ n }], citations: [{ n }] })],
    ['calls', n => chunk({ tool_calls: [{ index: n, function: { name: 'f' } }] })],
    ['parts of one call', () => chunk({ tool_calls: [{ index: 0, function: { arguments: 'ab' } }] })],
    ['choices', n => ({ choices: [{ index: n, delta: {} }] })],
    ['fields', n => chunk({ provider_specific_fields: { [n]: n }, audio: { [`f${n}`]: n } })],
    ['fields of usage', n => ({ choices: [], usage: { provider_specific_fields: { [`f${n}`]: n } } })],
    [
      'tokens',
      n => {
        const one = { token: 'a', logprob: -n, bytes: null, top_logprobs: [] }
        return chunk({}, { logprobs: { content: [one], refusal: [one] } })
      },
    ],
  ])('folds 100 000 chunks in a time that grows with their number: %s', (_, make) => {
    const chunks = Array.from({ length: 100_000 }, (_, n) => make(n))
    const started = performance.now()
    foldChunks(chunks)
    // Copies for each chunk take a minute and more.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

/** Cuts the text of a piece after `size` code units. */
function cut({ index, delta }: PartialChunkChoice, size: number): PartialChunkChoice[] {
  const [member, value] = Object.entries(delta)[0]!
  if (typeof value === 'string') {
    return [
      { index, delta: { [member]: value.slice(0, size) } },
      { index, delta: { [member]: value.slice(size) } },
    ]
  }
  if (delta.tool_calls === undefined) return [{ index, delta }]
  const [part] = delta.tool_calls
  const added = part!.function!.arguments!
  return [added.slice(0, size), added.slice(size)].map(text => ({
    index,
    delta: { tool_calls: [{ ...part, function: { arguments: text } }] },
  }))
}
