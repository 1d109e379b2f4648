import type { Shape } from './shape.ts'

/** Whatever stands there: who uses it says what may. */
export const anything: Shape = { read: value => value, schema: () => ({}) }
