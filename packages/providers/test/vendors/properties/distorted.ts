import fc from 'fast-check'
import { jsonValue, oddKey } from './odd-text.ts'

/** What is done to a value that has members, somewhere within it. */
export interface Distortion {
  /** Which member on the way down, by a number that is taken modulo their count. */
  readonly way: readonly number[]
  readonly act: 'replace' | 'remove' | 'add'
  readonly key: string
  readonly value: unknown
}

export const distortion: fc.Arbitrary<Distortion> = fc.record({
  way: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 5 }),
  act: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  key: oddKey,
  value: jsonValue,
})

/** The value with one thing in it replaced, removed or added. */
export function distorted(value: unknown, { way, act, key, value: other }: Distortion): unknown {
  const copy = structuredClone(value)
  let holder = copy
  for (const [depth, number] of way.entries()) {
    if (typeof holder !== 'object' || holder === null) break
    const fields = holder as Record<string, unknown>
    const keys = Object.keys(fields)
    const at = keys[number % Math.max(1, keys.length)]
    const inner = at === undefined ? undefined : fields[at]
    const last = depth === way.length - 1 || typeof inner !== 'object' || inner === null
    if (!last) {
      holder = inner
      continue
    }
    if (act === 'add' || at === undefined) fields[key] = other
    else if (act === 'remove') delete fields[at]
    else fields[at] = other
    break
  }
  return copy
}
