import type { JsonObject, JsonValue } from '@sluice/core'
import { isObject, own, sameJson, typeOf } from './json.ts'
import { matches } from './matches.ts'
import { readPattern } from './pattern.ts'
import { resolveReference } from './schema-reference.ts'
import { type Budget, Unsatisfiable } from './unsatisfiable.ts'

const deepest = 200
const unknownKeywords = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'] as const

/** What a check needs beside the schema. */
export interface Checking {
  /** The whole schema, into which `$ref` points. */
  readonly root: JsonValue
  readonly budget: Budget
}

/**
 * Whether a value is valid against a JSON Schema (drafts 7 to 2020-12, without `unevaluated*`, dynamic
 * references and references elsewhere). `format` is an annotation. Throws `Unsatisfiable` where it does not
 * know what the schema says.
 */
export function isValid(
  value: JsonValue,
  schema: JsonValue | undefined,
  checking: Checking,
  depth = 0,
): boolean {
  if (schema === undefined || schema === true) return true
  if (!isObject(schema)) return false
  checking.budget.spend('', 1 + (Array.isArray(schema.enum) ? schema.enum.length / 50 : 0))
  if (depth > deepest) throw new Unsatisfiable('', 'the schema refers to itself without end')
  for (const keyword of unknownKeywords) {
    if (schema[keyword] !== undefined)
      throw new Unsatisfiable('', `the keyword '${keyword}' is not known to the local provider`)
  }
  const check = (part: JsonValue | undefined, inner: JsonValue = value) =>
    isValid(inner, part, checking, depth + 1)
  return (
    (schema.$ref === undefined || check(resolveReference(schema.$ref, checking.root, ''))) &&
    hasType(value, schema.type) &&
    (schema.enum === undefined ||
      (Array.isArray(schema.enum) && schema.enum.some(item => sameJson(item, value)))) &&
    (schema.const === undefined || sameJson(schema.const, value)) &&
    combinesWell(schema, check) &&
    (typeof value !== 'number' || isValidNumber(value, schema)) &&
    (typeof value !== 'string' || isValidString(value, schema, checking)) &&
    (!Array.isArray(value) || isValidArray(value, schema, checking.budget, check)) &&
    (!isObject(value) || isValidObject(value, schema, checking, check))
  )
}

type Check = (schema: JsonValue | undefined, value?: JsonValue) => boolean

function hasType(value: JsonValue, type: JsonValue | undefined): boolean {
  if (type === undefined) return true
  const actual = typeOf(value)
  const allowed = Array.isArray(type) ? type : [type]
  return allowed.includes(actual) || (actual === 'integer' && allowed.includes('number'))
}

function combinesWell(schema: JsonObject, check: Check): boolean {
  const { allOf, anyOf, oneOf, not } = schema
  if (Array.isArray(allOf) && !allOf.every(part => check(part))) return false
  if (Array.isArray(anyOf) && !anyOf.some(part => check(part))) return false
  if (Array.isArray(oneOf) && oneOf.filter(part => check(part)).length !== 1) return false
  if (not !== undefined && check(not)) return false
  return schema.if === undefined || check(check(schema.if) ? schema.then : schema.else)
}

function isValidNumber(value: number, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  return (
    !(typeof minimum === 'number' && (value < minimum || (exclusiveMinimum === true && value === minimum))) &&
    !(typeof maximum === 'number' && (value > maximum || (exclusiveMaximum === true && value === maximum))) &&
    !(typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) &&
    !(typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf))
  )
}

function isValidString(value: string, schema: JsonObject, checking: Checking): boolean {
  const { minLength, maxLength, pattern } = schema
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length
  if (typeof minLength === 'number' && length < minLength) return false
  if (typeof maxLength === 'number' && length > maxLength) return false
  return typeof pattern !== 'string' || textMatches(value, pattern, checking.budget)
}

function textMatches(text: string, source: string, budget: Budget): boolean {
  const pattern = readPattern(source)
  if (pattern === undefined) {
    throw new Unsatisfiable(
      '',
      `the pattern '${source.slice(0, 100)}' is not one that the local provider can read`,
    )
  }
  return matches(pattern, text, steps => budget.spend('', steps / 50))
}

function isValidArray(
  value: readonly JsonValue[],
  schema: JsonObject,
  budget: Budget,
  check: Check,
): boolean {
  const { minItems, maxItems, contains } = schema
  if (typeof minItems === 'number' && value.length < minItems) return false
  if (typeof maxItems === 'number' && value.length > maxItems) return false
  const [first, rest] = itemSchemas(schema)
  if (!value.every((item, at) => check(at < first.length ? first[at] : rest, item))) return false
  if (schema.uniqueItems === true) budget.spend('', (value.length * value.length) / 500)
  if (
    schema.uniqueItems === true &&
    value.some((item, at) => value.slice(0, at).some(other => sameJson(item, other)))
  )
    return false
  if (contains === undefined) return true
  const count = value.filter(item => check(contains, item)).length
  const least = typeof schema.minContains === 'number' ? schema.minContains : 1
  return count >= least && !(typeof schema.maxContains === 'number' && count > schema.maxContains)
}

/** The schemas of an array's first items, and the one of all others. */
export function itemSchemas(schema: JsonObject): readonly [readonly JsonValue[], JsonValue | undefined] {
  if (Array.isArray(schema.items)) return [schema.items, schema.additionalItems]
  return [Array.isArray(schema.prefixItems) ? schema.prefixItems : [], schema.items as JsonValue | undefined]
}

function isValidObject(value: JsonObject, schema: JsonObject, checking: Checking, check: Check): boolean {
  const keys = Object.keys(value)
  const { minProperties, maxProperties, required, propertyNames } = schema
  if (typeof minProperties === 'number' && keys.length < minProperties) return false
  if (typeof maxProperties === 'number' && keys.length > maxProperties) return false
  if (Array.isArray(required) && !required.every(key => typeof key !== 'string' || Object.hasOwn(value, key)))
    return false
  const properties = isObject(schema.properties) ? schema.properties : {}
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
  for (const key of keys) {
    const item = value[key] ?? null
    if (propertyNames !== undefined && !check(propertyNames, key)) return false
    let known = Object.hasOwn(properties, key)
    if (known && !check(properties[key], item)) return false
    for (const [pattern, part] of patterns) {
      if (!textMatches(key, pattern, checking.budget)) continue
      known = true
      if (!check(part, item)) return false
    }
    if (!known && !check(schema.additionalProperties, item)) return false
  }
  return dependenciesHold(value, schema, check)
}

function dependenciesHold(value: JsonObject, schema: JsonObject, check: Check): boolean {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependencies = schema[keyword]
    if (!isObject(dependencies)) continue
    for (const [key, needed] of Object.entries(dependencies)) {
      if (!Object.hasOwn(value, key)) continue
      if (
        Array.isArray(needed) ? !needed.every(name => own(value, String(name)) !== undefined) : !check(needed)
      )
        return false
    }
  }
  return true
}
