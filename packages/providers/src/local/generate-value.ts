import type { JsonObject, JsonValue } from '@sluice/core'
import { arrayFor } from './generate-array.ts'
import { numbersFor } from './generate-number.ts'
import { objectFor } from './generate-object.ts'
import { stringsFor } from './generate-string.ts'
import { deepest, type Generation, type Making, type Place, shallow } from './generation.ts'
import { isValid } from './is-valid.ts'
import { isObject } from './json.ts'
import { flatten, optionsOf } from './schema-forms.ts'
import { Budget, canTryOn, Unsatisfiable } from './unsatisfiable.ts'

const mostSteps = 20_000

/**
 * Makes a value that is valid against a JSON Schema and checks it. Throws `Unsatisfiable` where it finds
 * none: because there is none, or because the schema says what the local provider cannot read.
 */
export function generateValue(schema: JsonValue, generation: Generation): JsonValue {
  const maker = new Maker(schema, generation)
  return maker.make(schema, { path: '', name: '', depth: 0, salt: 0 })
}

class Maker implements Making {
  readonly root: JsonValue
  readonly generation: Generation
  readonly budget = new Budget(mostSteps)

  constructor(root: JsonValue, generation: Generation) {
    this.root = root
    this.generation = generation
  }

  make(schema: JsonValue, place: Place): JsonValue {
    this.budget.spend(place.path)
    if (place.depth > deepest)
      throw new Unsatisfiable(place.path, 'the schema asks for values nested without end')
    if (schema === false) throw new Unsatisfiable(place.path, 'the schema allows no value')
    if (schema === true) return 'example'
    if (!isObject(schema)) throw new Unsatisfiable(place.path, 'a schema must be an object or a boolean')
    const whole = flatten(schema, place, this)
    let first: unknown
    for (const option of optionsOf(whole, place, this)) {
      try {
        for (const value of this.#candidates(option, place)) if (this.fits(value, schema)) return value
      } catch (error) {
        if (!canTryOn(error)) throw error
        first ??= error
      }
    }
    throw first ?? new Unsatisfiable(place.path, 'the local provider found no value that the schema allows')
  }

  fits(value: JsonValue, schema: JsonValue): boolean {
    return isValid(value, schema, { root: this.root, budget: this.budget })
  }

  *#candidates(schema: JsonObject, place: Place): Generator<JsonValue> {
    if (schema.const !== undefined) {
      yield schema.const
      return
    }
    const { hints } = this.generation
    if (place.salt === 0) yield* hints.valuesOf(place.name, schema)
    if (Array.isArray(schema.enum)) {
      const { length } = schema.enum
      for (let at = 0; at < length; at++) yield schema.enum[(at + place.salt) % length]!
      return
    }
    if (place.salt === 0 && schema.default !== undefined) yield schema.default
    const examples = Array.isArray(schema.examples)
      ? schema.examples
      : schema.example === undefined
        ? []
        : [schema.example]
    for (let at = place.salt; at < examples.length && at < 100; at++) yield examples[at]!
    let failure: unknown
    for (const type of typesOf(schema, place.depth)) {
      try {
        yield* this.#ofType(type, schema, place)
      } catch (error) {
        if (!canTryOn(error)) throw error
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
  }

  *#ofType(type: JsonValue, schema: JsonObject, place: Place): Generator<JsonValue> {
    switch (type) {
      case 'null':
        yield null
        return
      case 'boolean':
        yield* place.salt % 2 === 0 ? [true, false] : [false, true]
        return
      case 'integer':
      case 'number':
        yield* numbersFor(schema, type === 'integer', place.salt)
        return
      case 'string':
        yield* stringsFor(schema, place.salt, place.path)
        return
      case 'array':
        yield arrayFor(schema, place, this)
        return
      case 'object':
        yield objectFor(schema, place, this)
        return
    }
  }
}

function typesOf(schema: JsonObject, depth: number): readonly JsonValue[] {
  if (schema.type !== undefined) {
    const types = Array.isArray(schema.type) ? [...schema.type] : [schema.type]
    const order = depth > shallow ? 1 : -1
    return types.sort((a, b) => order * (Number(b === 'null') - Number(a === 'null')))
  }
  const says = (...keywords: readonly string[]) => keywords.some(keyword => schema[keyword] !== undefined)
  if (
    says(
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'minProperties',
      'propertyNames',
    )
  )
    return ['object']
  if (says('items', 'prefixItems', 'minItems', 'contains')) return ['array']
  if (says('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return ['number']
  return ['string', 'integer', 'boolean', 'object', 'array', 'null']
}
