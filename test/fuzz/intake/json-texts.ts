import fc from 'fast-check'

/** Texts of values that no object or array is around, right and wrong ones. */
const scalars = [
  ...['0', '-0', '1', '-1', '1.5', '1e5', '1E+2', '1e-400', '0.1234567890123456789', '123456789012345678.5'],
  ...['9007199254740991', '9007199254740992', '-9007199254740993', '9007199254740993.0', '1e17', '1e21'],
  ...['1e400', '-1e400', '01', '-', '+1', '1.', '.5', '1e', '1e5e5', '--1', '1-1', '0x10', 'Infinity'],
  ...[`0.${'1'.repeat(97)}`, `0.${'1'.repeat(98)}`, `0.${'1'.repeat(99)}`, `1${'0'.repeat(120)}`],
  ...[
    '""',
    '"x"',
    '"é😀"',
    '"\\""',
    '"\\\\"',
    '"\\\\\\""',
    '"\\u0000"',
    '"\\/"',
    '"{\\"a\\":1}"',
    '"\u2028"',
  ],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00x"', '"\\\\ud800"', '"\\x"'],
  ...['"\\u12"', '"\u0001"', '"\n"', '"', '"\\"', "'x'", 'true', 'false', 'null', 'tru', 'True', 'nulll'],
  ...['NaN', 'undefined', '', '/* x */', '\u00a0', '\ufeff'],
]
const sound = ['0', '1', '-1.5', '1e5', '9007199254740991', '""', '"x"', '"é😀"', '"\\""', 'true', 'null']

const keys = [
  '"a"',
  '"\\u0061"',
  '"b"',
  '""',
  '"__proto__"',
  '"constructor"',
  '"model"',
  '"\\ud800"',
  '"é"',
  'a',
]
const spaces = ['', '', '', ' ', '\n\t', '\r\n']

const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...sound) },
  { weight: 1, arbitrary: fc.constantFrom(...scalars) },
)
const key = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 30 }).map(number => `"k${number}"`) },
  { weight: 2, arbitrary: fc.constantFrom(...keys) },
)
const comma = fc.oneof(
  { weight: 40, arbitrary: fc.constant(',') },
  { weight: 1, arbitrary: fc.constantFrom(' , ', ',\n', ',,', '', ';') },
)
const colon = fc.oneof(
  { weight: 40, arbitrary: fc.constant(':') },
  { weight: 1, arbitrary: fc.constantFrom(' : ', '::', '', '=') },
)

/** Texts of JSON, with a fault here and there that makes them none, or none that may pass. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small', withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), comma, fc.constantFrom(...spaces))
      .map(([items, between, space]) => `[${space}${items.join(between)}${space}]`),
    fc
      .tuple(fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }), comma, colon)
      .map(([entries, between, is]) => `{${entries.map(entry => entry.join(is)).join(between)}}`),
    fc.nat({ max: 12 }).chain(depth => tie('value').map(text => nested(depth, text))),
  ),
})).value

/** Pieces of JSON in any order. */
export const jsonSoup: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1', 'e', '.', '-', ' ', ...keys, ...sound),
    {
      maxLength: 24,
    },
  )
  .map(pieces => pieces.join(''))

function nested(depth: number, text: string): string {
  return `${'[{"a":'.repeat(depth)}${text}${'}]'.repeat(depth)}`
}
