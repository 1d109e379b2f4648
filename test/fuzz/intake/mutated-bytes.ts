import fc from 'fast-check'

type Mutation = { readonly at: number; readonly cut: number; readonly bytes: Uint8Array }

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  cut: fc.constantFrom(0, 0, 1, 1, 5),
  bytes: fc.oneof(
    fc.constant(new Uint8Array()),
    fc.uint8Array({ maxLength: 3 }),
    fc
      .constantFrom('"', '\\', '{', '}', ',', '\ufeff', '\u0000', '\n', 'é', '😀', '"a":1,', '\\u', 'data: ')
      .map(text => Buffer.from(text)),
  ),
})

/** Bytes with something cut out or put in: seldom, so that most stay what they were. */
export function mutatedBytes(bytes: fc.Arbitrary<Uint8Array>, seldom = 4): fc.Arbitrary<Uint8Array> {
  const changed = fc.tuple(bytes, mutation).map(([whole, change]) => mutate(whole, change))
  return fc.oneof({ weight: seldom - 1, arbitrary: bytes }, { weight: 1, arbitrary: changed })
}

function mutate(bytes: Uint8Array, { at, cut, bytes: put }: Mutation): Uint8Array {
  const place = at % (bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)])
}
