import fc from 'fast-check'

/** Text that trips what reads it carelessly: empty, blank, control characters, half of a pair, JSON, a URL. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 5 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\n\t',
      '\u0000',
      '\ud800',
      'a\udc00b',
      '\u2028\u2029',
      '🏳️‍🌈 e\u0301 \u202e',
      'trailing \n',
      '{"a":"b"}',
      'data:text/plain,x',
      '__proto__',
      '</thinking>\r\n\r\ndata: [DONE]',
    ),
  },
)

/** A member's name in an object. */
export const oddKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z][a-z_]{0,8}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '__proto__', 'toString', 'a b', '0', '$ref', 'é', 'x'.repeat(80)),
  },
)

/** Any JSON value, not deep. */
export const jsonValue: fc.Arbitrary<unknown> = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 2 },
    oddText,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(oddKey, tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value
