import fc from 'fast-check'

/** A value once in `times`, else `undefined`. */
export function seldom<T>(value: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
}

/** Fields that are always there, and others that are there once in `times`. */
export function withSome(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
  times: (name: string) => number,
): fc.Arbitrary<Record<string, unknown>> {
  const rare = Object.entries(optional).map(([name, value]) => [name, seldom(value, times(name))])
  return fc
    .record({ ...required, ...Object.fromEntries(rare) })
    .map(fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
}
