import type { JsonValue } from './chat.ts'

/** A change of one member in a JSON text. */
export interface BodyEdit {
  /** Where: `['output_config', 'effort']`. Objects that are missing on the way are added. */
  readonly path: readonly (string | number)[]
  /** The new value. `undefined` removes the member. */
  readonly value: JsonValue | undefined
}
