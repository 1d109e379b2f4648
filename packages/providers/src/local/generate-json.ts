import type { JsonObject, JsonValue } from '@sluice/core/provider'

/** Of nested values, references and options. */
const maxDepth = 64
/** Optional properties and items are generated down to this depth, and up to this many steps. */
const optionalDepth = 4
const optionalSteps = 1_000
/** A step is a keyword, a property, an item, or 100 characters. */
const maxSteps = 50_000
const maxItems = 1_000
const maxCharacters = 10_000

/** Keywords that values are generated without regard to. Of `oneOf` one option is met, and the others not checked. */
const uncheckedKeywords =
  'pattern format oneOf not if uniqueItems contains patternProperties propertyNames minProperties maxProperties dependencies dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties'.split(
    ' ',
  )
const annotations =
  'title description default example examples deprecated $defs definitions $id $schema'.split(' ')

/**
 * Generates JSON text, each time the same and in bounded work, that is valid but for the keywords in `unchecked`.
 * Returns the `problem` with a schema for which there is none.
 */
export function generateJson(schema: JsonValue) {
  const generator = new JsonGenerator(schema)
  try {
    const json = JSON.stringify(generator.generate(schema, { path: '', depth: 0 }))
    return { json, unchecked: [...generator.unchecked].sort() }
  } catch (error) {
    if (error instanceof UnsupportedSchema) return { problem: error.message, unchecked: [] }
    throw error
  }
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Where in the value: `'steps', '0'`. */
interface Location {
  readonly path: string
  readonly depth: number
}

class UnsupportedSchema extends Error {
  constructor({ path }: Location, reason: string) {
    super(`In context=(${path.slice(0, 200)}), ${reason}.`)
  }
}

class JsonGenerator {
  readonly unchecked = new Set<string>()
  readonly #root: JsonValue
  #steps = 0

  constructor(root: JsonValue) {
    this.#root = root
  }

  generate(given: JsonValue, at: Location): JsonValue {
    this.#spend(1, at)
    const schema = this.#flatten(given, at)
    for (const keyword of uncheckedKeywords) if (schema[keyword] !== undefined) this.unchecked.add(keyword)
    const { anyOf, ...withoutAny } = schema
    if (Array.isArray(anyOf)) return this.#option(anyOf, withoutAny, at)
    const { oneOf, ...withoutOne } = schema
    if (Array.isArray(oneOf)) return this.#option(oneOf, withoutOne, at)
    const listed = schema.const === undefined && Array.isArray(schema.enum) ? schema.enum[0] : schema.const
    if (listed !== undefined) {
      this.#spend(JSON.stringify(listed).length / 100, at)
      return listed
    }
    const type = schema.enum === undefined ? this.#typeOf(schema, at) : undefined
    if (type === 'null') return null
    if (type === 'boolean') return true
    if (type === 'integer' || type === 'number') return numberFor(schema, type === 'integer', at)
    if (type === 'array') return this.#array(schema, at)
    if (type === 'object') return this.#object(schema, at)
    if (type !== 'string') throw new UnsupportedSchema(at, 'the schema allows no value')
    const [min, max] = countsOf(schema, 'Length', maxCharacters, at)
    this.#spend(min / 100, at)
    return 'example '.repeat(Math.ceil((min + 1) / 8)).slice(0, Math.max(min, Math.min(7, max)))
  }

  /** Follows references and merges `allOf`. */
  #flatten(schema: JsonValue, at: Location): JsonObject {
    if (schema === true) return {}
    if (!isObject(schema)) throw new UnsupportedSchema(at, 'the schema allows no value')
    if (at.depth > maxDepth) throw new UnsupportedSchema(at, 'the schema asks for values nested without end')
    this.#spend(1 + Object.keys(schema).length, at)
    const { $ref, allOf = [], ...rest } = schema
    const parts = [$ref === undefined ? [] : this.#resolve($ref, at), allOf].flat()
    return parts.reduce<JsonObject>(
      (merged, part) => this.#merge(merged, this.#flatten(part, deeper(at)), at),
      rest,
    )
  }

  #resolve(reference: JsonValue, at: Location): JsonValue {
    // The message does not repeat the reference: a URL would be redacted on its way to the caller.
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw new UnsupportedSchema(at, "$ref is not one into the schema itself, such as '#/$defs/name'")
    this.#spend(reference.length / 100, at)
    let value: JsonValue | undefined = this.#root
    for (const name of reference.split('/').slice(1)) {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
      value = typeof value === 'object' ? own(value as JsonObject | null, key) : undefined
    }
    if (value !== undefined) return value
    throw new UnsupportedSchema(at, `the reference '${reference.slice(0, 100)}' points to nothing`)
  }

  /** Both schemas as one. Where they differ in a keyword, the second one counts, and the keyword is unchecked. */
  #merge(base: JsonObject, part: JsonObject, at: Location): JsonObject {
    const copied = [base, part, base.properties, part.properties, base.required, part.required]
    this.#spend(
      copied.reduce<number>((sum, value) => sum + Object.keys(value ?? {}).length, 0),
      at,
    )
    const merged: Record<string, JsonValue> = Object.assign(Object.create(null), base, part)
    for (const keyword of Object.keys(part)) {
      const [first, second] = [own(base, keyword), part[keyword]]
      if (first === undefined || first === second || annotations.includes(keyword)) continue
      if (keyword === 'required' && Array.isArray(first) && Array.isArray(second)) {
        merged.required = [...first, ...second]
      } else if (keyword === 'properties' && isObject(first) && isObject(second)) {
        merged.properties = { ...first, ...second }
        const isTwice = Object.keys(second).some(name => own(first, name) !== undefined)
        if (isTwice || base.additionalProperties !== part.additionalProperties) this.unchecked.add(keyword)
      } else this.unchecked.add(keyword)
    }
    return merged
  }

  /** The first option for which there is a value: near the top not `null`, further down what nests least. */
  #option(options: readonly JsonValue[], base: JsonObject, at: Location): JsonValue {
    const nested: readonly unknown[] = this.#generatesOptional(at) ? ['null'] : [undefined, 'object', 'array']
    const isLast = (option: JsonValue) => Number(nested.includes(isObject(option) ? option.type : undefined))
    this.#spend(options.length, at)
    for (const option of options.toSorted((a, b) => isLast(a) - isLast(b))) {
      const value = this.#attempt({ allOf: [base, option] }, deeper(at))
      if (value !== undefined) return value
    }
    throw new UnsupportedSchema(at, 'no option of the schema has a value')
  }

  #typeOf(schema: JsonObject, at: Location): JsonValue | undefined {
    const { type } = schema
    if (Array.isArray(type)) {
      this.#spend(type.length, at)
      const prefersNull = type.includes('null') && !this.#generatesOptional(at)
      return prefersNull ? 'null' : (type.find(name => name !== 'null') ?? type[0])
    }
    if (type !== undefined) return type
    if ((schema.properties ?? schema.required ?? schema.additionalProperties) !== undefined) return 'object'
    if ((schema.items ?? schema.prefixItems ?? schema.minItems) !== undefined) return 'array'
    return 'string'
  }

  #array(schema: JsonObject, at: Location): JsonValue[] {
    const { prefixItems, items = true } = schema
    const tuple = Array.isArray(prefixItems) ? prefixItems : []
    const [min, max] = countsOf(schema, 'Items', maxItems, at)
    const optional = tuple.length > 0 || items === false ? tuple.length : 1
    const count = Math.min(max, Math.max(min, this.#generatesOptional(at) ? optional : 0))
    const made: JsonValue[] = []
    for (let index = 0; index < count; index++) {
      const [item, place] = [index < tuple.length ? tuple[index]! : items, deeper(at, String(index))]
      const value = index < min ? this.generate(item, place) : this.#attempt(item, place)
      if (value === undefined) break
      made.push(value)
    }
    return made
  }

  #object({ properties, required, additionalProperties = true }: JsonObject, at: Location): JsonObject {
    const described = isObject(properties) ? properties : {}
    const needed = new Set(Array.isArray(required) ? required.filter(name => typeof name === 'string') : [])
    // Without a prototype, so that `__proto__` is a name like any other.
    const made: Record<string, JsonValue> = Object.create(null)
    for (const name of new Set([...Object.keys(described), ...needed])) {
      this.#spend(1 + name.length / 100, at)
      const [schema, place] = [own(described, name) ?? additionalProperties, deeper(at, name)]
      if (needed.has(name)) made[name] = this.generate(schema, place)
      else if (this.#generatesOptional(at)) {
        const value = this.#attempt(schema, place)
        if (value !== undefined) made[name] = value
      }
    }
    return made
  }

  #generatesOptional({ depth }: Location): boolean {
    return depth < optionalDepth && this.#steps < optionalSteps
  }

  /** The value, or `undefined` where there is none and work is left to try another. */
  #attempt(schema: JsonValue, at: Location): JsonValue | undefined {
    try {
      return this.generate(schema, at)
    } catch (error) {
      if (error instanceof UnsupportedSchema && this.#steps <= maxSteps) return undefined
      throw error
    }
  }

  #spend(steps: number, at: Location): void {
    this.#steps += steps
    if (this.#steps > maxSteps)
      throw new UnsupportedSchema(at, 'the schema takes more work than is done for one')
  }
}

function numberFor(schema: JsonObject, isInteger: boolean, at: Location): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const low = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity))
  const high = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity))
  const step = numberOr(multipleOf, 1)
  const isBounded = Number.isFinite(low)
  const first = isBounded ? Math.ceil(low / step) * step : Math.floor(high / step) * step
  const multiples = Array.from({ length: 100 }, (_, index) => first + (isBounded ? index : -index) * step)
  const found = [1, step, ...multiples, low / 2 + high / 2].find(value => {
    const isWithin = value >= low && value <= high && value !== exclusiveMinimum && value !== exclusiveMaximum
    const isMultiple = multipleOf === undefined || Number.isInteger(value / step)
    return isWithin && isMultiple && (isInteger ? Number.isInteger(value) : Number.isFinite(value))
  })
  if (found === undefined) throw new UnsupportedSchema(at, 'no number was found within its bounds')
  return found === 0 ? 0 : found
}

/** The fewest and the most characters or items that a schema allows. */
function countsOf(
  schema: JsonObject,
  unit: 'Length' | 'Items',
  most: number,
  at: Location,
): readonly [number, number] {
  const min = Math.ceil(Math.max(0, numberOr(schema[`min${unit}`], 0)))
  const max = Math.min(numberOr(schema[`max${unit}`], most), most)
  if (min <= max) return [min, max]
  throw new UnsupportedSchema(at, `'min${unit}' is ${min}, but at most ${max} is possible`)
}

function deeper({ path, depth }: Location, name?: string): Location {
  if (name === undefined) return { path, depth: depth + 1 }
  return { path: `${path}${path === '' ? '' : ', '}'${name.slice(0, 100)}'`, depth: depth + 1 }
}

function numberOr(value: unknown, absent: number): number {
  return typeof value === 'number' ? value : absent
}

function own(object: JsonObject | null, name: string): JsonValue | undefined {
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined
}
