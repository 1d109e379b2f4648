import fc from 'fast-check'

const fields = [
  'data:',
  'data: ',
  'data: ',
  'data',
  'event: ',
  'event:',
  'event',
  'id: 1',
  'retry: 5',
  ':',
  ': ',
]
const odd = ['Data: ', 'data : ', ' data: ', 'dataset: ', 'eventful', 'foo: ', '', '\ufeff', ': keep-alive']
const values = [
  '',
  'x',
  ' ',
  '  a',
  'é',
  '漢',
  '😀',
  '\u0000',
  '\u2028',
  '\u0085',
  '[DONE]',
  '{"a":"b: c"}',
  'error',
]
const ends = ['\n', '\n', '\n', '\r', '\r\n']

const line = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...fields) },
      { weight: 1, arbitrary: fc.constantFrom(...odd) },
    ),
    fc.constantFrom(...values),
    fc.constantFrom(...values),
    fc.constantFrom(...ends),
    fc.constantFrom('', '', ...ends),
  )
  .map(parts => parts.join(''))

/** Streams of server-sent events, line by line, most of them well formed. */
export const eventText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '', '\ufeff', '\n'),
    fc.array(line, { maxLength: 8 }),
    fc.constantFrom('', '', 'data: cut', 'da', 'event: x', '\r'),
  )
  .map(([before, lines, after]) => before + lines.join('') + after)

/** Bytes that are mostly no events: also invalid UTF-8. */
export const byteSoup: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...fields, ...values, ...ends).map(Buffer.from),
        fc.uint8Array({ maxLength: 3 }),
      ),
      {
        maxLength: 16,
      },
    )
    .map(pieces => Buffer.concat(pieces)),
)

/** How bytes are cut: at each place a small step, now and then none at all. */
export const steps: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constantFrom([1], [2], [1_000]),
  fc.array(fc.constantFrom(0, 1, 1, 2, 3, 7, 20), { minLength: 1, maxLength: 6 }),
)

/** Cuts bytes by steps, which begin again where they end. */
export function cutBy(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const moving = sizes.some(size => size > 0) ? sizes : [1]
  const parts: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = moving[turn % moving.length] ?? 1
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return parts
}
