import type { Shape } from './shape.ts'

/** One of several shapes, told apart by a look at the value. */
export interface Alternative {
  readonly when: (value: unknown) => boolean
  readonly shape: Shape
}

export function either(alternatives: readonly Alternative[], expected: string): Shape {
  return {
    read: (value, location) => {
      const found = alternatives.find(({ when }) => when(value))
      return found === undefined ? location.reject(value, expected) : found.shape.read(value, location)
    },
    schema: definitions => ({ anyOf: alternatives.map(({ shape }) => shape.schema(definitions)) }),
  }
}

/** Exactly one value, such as `false` or `*`. */
export function just(only: string | boolean): Shape {
  return { read: () => only, schema: () => ({ const: only }) }
}

/** A shape that is described once, and may hold itself. */
export function named(name: string, make: () => Shape): Shape {
  let made: Shape | undefined
  const shape = () => {
    made ??= make()
    return made
  }
  return {
    read: (value, location) => shape().read(value, location),
    schema: definitions => definitions.refer(name, () => shape().schema(definitions)),
  }
}

/** Things that only TypeScript can hold are taken as they are, and data by a shape. */
export function orCode(shape: Shape, isCode: (value: unknown) => boolean): Shape {
  return {
    read: (value, location) => (isCode(value) ? value : shape.read(value, location)),
    schema: shape.schema,
  }
}
