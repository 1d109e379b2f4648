import type { ModelEntry } from './model-entry.ts'

/** An entry and its weight: `[target, 3]` or, as in a configuration file, `{ to: target, weight: 3 }`. */
export type WeightedEntry =
  | readonly [entry: ModelEntry, weight: number]
  | { readonly to: ModelEntry; readonly weight: number }

/** The entry of one that may have a weight. */
export type EntryOf<Item> = Item extends readonly [infer Entry, number]
  ? Entry
  : Item extends { readonly to: infer Entry; readonly weight: number }
    ? Entry
    : Item

/** The entry and the weight of a value; `undefined` for one that has no weight. The weight is not checked. */
export function weightedPair(value: unknown): readonly [entry: unknown, weight: unknown] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value))
    return value.length === 2 && typeof value[1] === 'number' ? [value[0], value[1]] : undefined
  return 'to' in value && 'weight' in value ? [value.to, value.weight] : undefined
}
