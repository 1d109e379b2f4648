import type { Target } from '../contracts/provider.ts'
import type { ReferredBy, Route } from '../contracts/route.ts'

/**
 * Where a model is answered: one place; several, of which the next is asked where one fails; a route; or the name of
 * another entry of the same table. `Name` are the names of that table.
 */
export type ModelEntry<Name extends string = string> =
  | Target
  | Name
  | Route<string, Name>
  | readonly ModelEntry<Name>[]

/**
 * The names of a table that an entry refers to, wherever in it they stand. In lists that are nested without an end, as
 * the type `ModelEntry` itself has them, it is any text.
 */
export type NamesIn<Entry, Depth extends readonly 0[] = []> = Depth['length'] extends 8
  ? string
  : Entry extends string
    ? Entry
    : Entry extends readonly (infer Item)[]
      ? NamesIn<Item, [...Depth, 0]>
      : ReferredBy<Entry>
