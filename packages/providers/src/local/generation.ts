import type { JsonObject, JsonValue } from '@sluice/core'
import type { Hints } from './hints.ts'
import type { Budget } from './unsatisfiable.ts'

/** How deep a value may nest. */
export const deepest = 40
/** Down to this depth, what is optional is filled in. */
export const shallow = 4
/** The most items of an array and properties of an object. */
export const mostItems = 1_000

/** How a value is made. */
export interface Generation {
  readonly hints: Hints
  /** Which optional properties are filled in: all near the top, or only those the user's text speaks of. */
  readonly optional: 'all' | 'spoken of'
}

/** Where in the wanted value something is made. */
export interface Place {
  /** `'steps', '0'`. */
  readonly path: string
  /** The property's name. */
  readonly name: string
  readonly depth: number
  /** Which of several differing values is wanted. */
  readonly salt: number
}

/** The making of one value, as its parts see it. */
export interface Making {
  readonly generation: Generation
  readonly budget: Budget
  /** The whole schema, into which `$ref` points. */
  readonly root: JsonValue
  /** Makes a value within. Throws `Unsatisfiable`. */
  make(schema: JsonValue, place: Place): JsonValue
  /** Whether a value is valid. */
  fits(value: JsonValue, schema: JsonValue): boolean
}

/** The place of a property or an item. */
export function within(place: Place, step: string, name: string, salt: number): Place {
  return {
    path: `${place.path}${place.path === '' ? '' : ', '}'${step}'`,
    name,
    depth: place.depth + 1,
    salt,
  }
}

/** The properties that a schema describes by name. */
export function propertiesOf(schema: JsonObject): JsonObject {
  const { properties } = schema
  return typeof properties === 'object' && properties !== null && !Array.isArray(properties)
    ? (properties as JsonObject)
    : {}
}
