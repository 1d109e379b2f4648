import type { JsonObject, JsonValue } from '@sluice/core'
import { deepest, type Making, type Place, shallow } from './generation.ts'
import { isObject } from './json.ts'
import { mergeSchemas } from './merge-schemas.ts'
import { resolveReference } from './schema-reference.ts'
import { Unsatisfiable } from './unsatisfiable.ts'

/** A schema with its references followed and its `allOf` taken together. Throws `Unsatisfiable`. */
export function flatten(schema: JsonObject, place: Place, making: Making): JsonObject {
  let flat = schema
  for (let turns = 0; flat.$ref !== undefined || flat.allOf !== undefined; turns++) {
    making.budget.spend(place.path)
    if (turns > 100) throw new Unsatisfiable(place.path, 'the schema refers to itself without end')
    const { $ref, allOf, ...rest } = flat
    const parts = [
      ...($ref === undefined ? [] : [resolveReference($ref, making.root, place.path)]),
      ...(Array.isArray(allOf) ? allOf : []),
    ]
    flat = rest
    for (const part of parts) {
      if (part === true) continue
      // A part's own references and `allOf` are resolved before it is merged, so that none replaces another.
      const merged =
        isObject(part) && turns <= 100
          ? mergeSchemas(flat, flattenPart(part, place, making, turns))
          : undefined
      if (merged === undefined) throw new Unsatisfiable(place.path, "the parts of 'allOf' exclude each other")
      flat = merged
    }
  }
  return flat
}

function flattenPart(part: JsonObject, place: Place, making: Making, turns: number): JsonObject {
  if (part.$ref === undefined && part.allOf === undefined) return part
  const depth = place.depth + turns + 1
  if (depth > deepest) throw new Unsatisfiable(place.path, 'the schema refers to itself without end')
  return flatten(part, { ...place, depth }, making)
}

/** The ways in which `anyOf`, `oneOf` and `if` can be met, each as one schema. */
export function* optionsOf(schema: JsonObject, place: Place, making: Making): Generator<JsonObject> {
  const { anyOf, oneOf, if: condition, then, else: otherwise, ...base } = schema
  const choices: JsonValue[][] = []
  for (const options of [anyOf, oneOf]) if (Array.isArray(options)) choices.push(ordered(options, place))
  if (condition !== undefined) choices.push([{ allOf: [condition, then ?? true] }, otherwise ?? true])
  yield* combined(base, choices, place, making)
}

function* combined(
  base: JsonObject,
  choices: readonly JsonValue[][],
  place: Place,
  making: Making,
): Generator<JsonObject> {
  const [options, ...others] = choices
  if (options === undefined) {
    yield base
    return
  }
  for (const option of options) {
    making.budget.spend(place.path)
    if (option === false) continue
    const merged = isObject(option) ? mergeSchemas(base, flattenPart(option, place, making, 0)) : base
    if (merged === undefined) continue
    const nested = merged.anyOf !== undefined || merged.oneOf !== undefined || merged.if !== undefined
    if (nested && place.depth >= deepest)
      throw new Unsatisfiable(place.path, 'the schema asks for values nested without end')
    if (nested)
      for (const inner of optionsOf(merged, { ...place, depth: place.depth + 1 }, making))
        yield* combined(inner, others, place, making)
    else yield* combined(merged, others, place, making)
  }
}

/** Near the top what the text speaks of comes first and `null` last; deep down what ends soonest. */
function ordered(options: readonly JsonValue[], place: Place): JsonValue[] {
  const weight = (option: JsonValue): number => {
    if (!isObject(option)) return 1
    const ends = option.type === 'null' || option.const !== undefined || option.enum !== undefined
    if (place.depth > shallow) return ends ? 0 : isScalar(option.type) ? 1 : 2
    return option.type === 'null' ? 3 : 1
  }
  const turned = options.map((_, at) => options[(at + place.salt) % options.length]!)
  return turned.sort((a, b) => weight(a) - weight(b))
}

function isScalar(type: JsonValue | undefined): boolean {
  return type === 'string' || type === 'number' || type === 'integer' || type === 'boolean'
}
