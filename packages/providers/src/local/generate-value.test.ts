import type { JsonObject, JsonValue } from '@sluice/core'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateValue } from './generate-value.ts'
import { readHints } from './hints.ts'
import { Unsatisfiable } from './unsatisfiable.ts'

const now = Date.UTC(2024, 1, 29)
const hintsFrom = (text: string) => readHints(text, now, () => 'the reply')
const make = (schema: JsonValue, text = '', optional: 'all' | 'spoken of' = 'all') =>
  JSON.parse(JSON.stringify(generateValue(schema, { hints: hintsFrom(text), optional })))
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })
const ajv7 = new Ajv({ strict: false, validateFormats: false, ownProperties: true })

function expectValid(schema: JsonObject, text = ''): JsonValue {
  const value = make(schema, text)
  const validate = ajv.compile(schema)
  expect(validate(value), `${JSON.stringify(value)} ${JSON.stringify(validate.errors)}`).toBe(true)
  return value
}

const schemas: Readonly<Record<string, JsonObject>> = {
  'an enum': { enum: ['red', 2, null] },
  'a const': { const: { a: [1, 'x'] } },
  'number bounds': { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1.5 },
  'narrow fractions': { type: 'number', minimum: 0.1, maximum: 0.2 },
  'negative integers': { type: 'integer', maximum: -7 },
  'a multiple': { type: 'integer', minimum: 10, multipleOf: 7 },
  'string lengths': { type: 'string', minLength: 12, maxLength: 14 },
  'a single character': { type: 'string', maxLength: 1 },
  'an empty string': { type: 'string', maxLength: 0 },
  'a pattern': { type: 'string', pattern: '^[A-Z]{2}-\\d{4}(?:-(?:a|b)+)?$' },
  'an unanchored pattern': { type: 'string', pattern: '\\d{3}', minLength: 10 },
  'a pattern with a length': { type: 'string', pattern: '^[a-z]+$', minLength: 9, maxLength: 9 },
  'a negated set': { type: 'string', pattern: '^[^a-z0-9]{3}$' },
  'array bounds': { type: 'array', items: { type: 'integer' }, minItems: 3, maxItems: 3 },
  'unique items': { type: 'array', items: { type: 'string' }, minItems: 5, uniqueItems: true },
  'unique enum items': { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true },
  'unique objects': {
    type: 'array',
    items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    minItems: 4,
    uniqueItems: true,
  },
  'unique patterned items': {
    type: 'array',
    items: { type: 'string', pattern: '^[ab]$' },
    minItems: 2,
    uniqueItems: true,
  },
  'prefix items': {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    items: false,
    minItems: 2,
  },
  'contained items': { type: 'array', items: { type: 'integer' }, contains: { minimum: 5 }, minContains: 2 },
  'nested objects': {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'boolean' } }, required: ['b'] } },
    required: ['a'],
    additionalProperties: false,
  },
  'a recursive list': {
    type: 'object',
    properties: { value: { type: 'string' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['value', 'next'],
    additionalProperties: false,
  },
  'a recursive tree': {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['name', 'children'],
      },
    },
  },
  allOf: {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] },
      { properties: { a: { maximum: 3 }, b: { type: 'string' } }, required: ['b'] },
    ],
  },
  'allOf with references': {
    allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    $defs: {
      a: { properties: { x: { const: 1 } }, required: ['x'] },
      b: { type: 'object', required: ['y'] },
    },
  },
  'anyOf beside properties': {
    type: 'object',
    properties: { kind: { type: 'string' }, size: { type: 'integer' } },
    anyOf: [{ properties: { kind: { const: 'b' } }, required: ['kind', 'size'] }, { required: ['kind'] }],
  },
  'oneOf that excludes': { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 2 }] },
  'if, then, else': {
    type: 'object',
    properties: { country: { enum: ['us', 'nl'] } },
    required: ['country'],
    if: { properties: { country: { const: 'us' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { zip: { type: 'string', pattern: '^[0-9]{5}$' } }, required: ['zip'] },
    else: { required: ['postcode'] },
  },
  not: { type: 'integer', not: { const: 1 } },
  'dependent properties': {
    type: 'object',
    properties: { card: { type: 'string' }, address: { type: 'string' } },
    required: ['card'],
    dependentRequired: { card: ['address'] },
  },
  'invented properties': { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 3 },
  'patterned properties': {
    type: 'object',
    patternProperties: { '^x-[a-z]+$': { type: 'string' } },
    additionalProperties: false,
    minProperties: 2,
  },
  'named properties': { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 3 },
  'several types': { type: ['null', 'string'] },
  'names of the prototype': {
    type: 'object',
    properties: JSON.parse('{"__proto__":{"type":"integer"},"constructor":{"type":"string"}}'),
    required: ['__proto__', 'constructor', 'toString'],
  },
  'no type': { properties: { a: {} }, required: ['a'] },
}

describe('generateValue', () => {
  for (const [name, schema] of Object.entries(schemas))
    it(`is valid for ${name}`, () => void expectValid(schema))

  it('is valid for draft 7 tuples', () => {
    const schema = {
      type: 'array',
      items: [{ type: 'string' }, { type: 'integer' }],
      additionalItems: false,
      minItems: 2,
    }
    expect(ajv7.compile(schema)(make(schema))).toBe(true)
  })

  it('keeps a property named __proto__ as its own', () => {
    const value = make(schemas['names of the prototype']!)
    expect(Object.keys(value as JsonObject)).toContain('__proto__')
  })

  it('takes values from the text, by name, type and format', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1 },
        mailTo: { type: 'string', format: 'email' },
        when: { type: 'string', format: 'date' },
      },
      required: ['city', 'unit', 'days', 'mailTo', 'when'],
    }
    const text = 'The weather in New York in fahrenheit for 5 days from 3 March 2025, sent to ann@example.org'
    expect(expectValid(schema, text)).toEqual({
      city: 'New York',
      unit: 'fahrenheit',
      days: 5,
      mailTo: 'ann@example.org',
      when: '2025-03-03',
    })
  })

  it('takes fields, lists and calculations from the text', () => {
    const fields = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
    }
    expect(make(fields, 'name: Ann Lee\nage: 41')).toEqual({ name: 'Ann Lee', age: 41 })
    const list = {
      type: 'object',
      properties: { values: { type: 'array', items: { type: 'number' } } },
      required: ['values'],
    }
    expect(make(list, 'add 1, 2.5 and 7')).toEqual({ values: [1, 2.5, 7] })
    const answer = {
      type: 'object',
      properties: { final_answer: { type: 'number' } },
      required: ['final_answer'],
    }
    expect(make(answer, 'what is 6 * 7?')).toEqual({ final_answer: 42 })
  })

  it('does not take from the text what the schema forbids', () => {
    const schema = {
      type: 'object',
      properties: { days: { type: 'integer', maximum: 3 } },
      required: ['days'],
    }
    expect((make(schema, 'for 12 days') as { days: number }).days).toBeLessThanOrEqual(3)
  })

  it('leaves out optional properties that the text does not speak of, where it is asked to', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['metric', 'imperial'] },
        limit: { type: 'integer' },
      },
      required: ['city'],
    }
    expect(make(schema, 'in Rome', 'spoken of')).toEqual({ city: 'Rome' })
    expect(make(schema, 'in Rome, imperial', 'spoken of')).toEqual({ city: 'Rome', unit: 'imperial' })
    expect(Object.keys(make(schema, 'in Rome') as JsonObject)).toEqual(['city', 'unit', 'limit'])
  })

  const impossible: Readonly<Record<string, JsonValue>> = {
    'no value at all': false,
    'bounds that exclude each other': { type: 'integer', minimum: 5, maximum: 4 },
    'types that exclude each other': { allOf: [{ type: 'string' }, { type: 'integer' }] },
    'required values nested without end': {
      type: 'object',
      properties: { next: { $ref: '#' } },
      required: ['next'],
    },
    'a reference to itself': { $ref: '#' },
    'allOf of itself': { allOf: [{ $ref: '#' }] },
    'a reference elsewhere': { $ref: 'https://example.com/schema.json' },
    'a reference to nothing': { $ref: '#/$defs/gone' },
    'too many items': { type: 'array', minItems: 1e9 },
    'too many characters': { type: 'string', minLength: 1e9 },
    'too many properties': { type: 'object', minProperties: 1e9 },
    'a look-ahead': { type: 'string', pattern: '^(?=x)y' },
    'a back reference': { type: 'string', pattern: '(a)\\1' },
    'an unknown keyword': { type: 'object', unevaluatedProperties: false },
    'unique items of which there are too few': {
      type: 'array',
      items: { type: 'boolean' },
      minItems: 3,
      uniqueItems: true,
    },
  }
  for (const [name, schema] of Object.entries(impossible)) {
    it(`refuses ${name}`, () => void expect(() => make(schema)).toThrow(Unsatisfiable))
  }

  it('says where and why', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { enum: [] }, minItems: 1 } },
      required: ['a'],
    }
    expect(() => make(schema)).toThrow(/In context=\('a', '0'\), .*no value/)
  })

  it('names no URL of a reference, which would be taken out on its way to the caller', () => {
    expect(() => make({ $ref: 'https://example.com/schema.json' })).toThrow(
      "In context=(), $ref is not one into the schema itself, such as '#/$defs/name'.",
    )
  })

  it('ends soon, whatever the schema', () => {
    const wide = (options: number) =>
      Array.from({ length: options }, (_, at) => ({ required: [`p${at}`], not: {} }))
    const hostile: JsonValue[] = [
      {
        anyOf: Array.from({ length: 300 }, () => ({
          anyOf: Array.from({ length: 300 }, () => ({ $ref: '#' })),
        })),
      },
      { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' } }, required: ['a', 'b'] },
      { type: 'string', pattern: '^(?:(?:(?:(?:x?){1000}){1000}){1000}){1000}y$' },
      {
        type: 'string',
        pattern: '^(a+)+$',
        const: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
      },
      { anyOf: wide(2_000), oneOf: wide(2_000) },
      { enum: Array.from({ length: 50_000 }, (_, at) => `v${at}`), not: { type: 'string' } },
      {
        allOf: Array.from({ length: 200 }, () => ({ anyOf: [{ minimum: 1 }, { maximum: 5 }, false] })),
        type: 'boolean',
        not: {},
      },
      {
        type: 'array',
        uniqueItems: true,
        default: Array.from({ length: 20_000 }, (_, at) => at),
        minItems: 20_001,
        maxItems: 20_001,
      },
      { type: 'object', required: Array.from({ length: 50_000 }, (_, at) => `p${at}`) },
      {
        type: 'array',
        minItems: 1000,
        items: { type: 'array', minItems: 1000, items: { type: 'array', minItems: 1000 } },
      },
      { type: 'array', minItems: 1000, items: { type: 'string', minLength: 10_000 } },
    ]
    for (const schema of hostile) {
      const start = performance.now()
      try {
        make(schema, 'x '.repeat(2_000))
      } catch (error) {
        expect(error).toBeInstanceOf(Unsatisfiable)
      }
      expect(performance.now() - start, JSON.stringify(schema).slice(0, 100)).toBeLessThan(5_000)
    }
  })

  it('is valid, or refused, for any schema', () => {
    const leaf = fc.oneof(
      fc.record({
        type: fc.constant('integer'),
        minimum: fc.integer({ min: -9, max: 9 }),
        maximum: fc.integer({ min: -9, max: 30 }),
      }),
      fc.record({
        type: fc.constant('string'),
        minLength: fc.nat(6),
        maxLength: fc.integer({ min: 3, max: 12 }),
      }),
      fc.record({
        type: fc.constant('string'),
        pattern: fc.constantFrom('^[a-c]{2,4}$', '^\\w+@\\w+$', 'x|y', '^(?:ab)*$'),
      }),
      fc
        .record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 4 }) })
        // Ajv compares by fast-deep-equal, which calls these of an object whatever they are.
        .filter(given => !/"(?:toString|valueOf)":/.test(JSON.stringify(given))),
      fc.constant({ type: 'boolean' }),
      fc.constant({ type: ['string', 'null'] }),
    )
    const { schema } = fc.letrec<{ schema: unknown }>(tie => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.record({
          type: fc.constant('array'),
          items: tie('schema'),
          minItems: fc.nat(3),
          uniqueItems: fc.boolean(),
        }),
        fc
          .dictionary(fc.constantFrom('a', 'b', 'name', 'city', 'constructor'), tie('schema'), { maxKeys: 4 })
          .map(properties => ({
            type: 'object',
            properties,
            required: Object.keys(properties).slice(0, 2),
            additionalProperties: false,
          })),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      ),
    }))
    let made = 0
    fc.assert(
      fc.property(
        schema,
        fc.constantFrom('', 'Send 3 letters to ann@b.org in Rome, "hello"'),
        (any, text) => {
          const parsed = JSON.parse(JSON.stringify(any)) as JsonObject
          let value: JsonValue
          try {
            value = make(parsed, text)
          } catch (error) {
            expect(error).toBeInstanceOf(Unsatisfiable)
            return
          }
          made++
          const validate = ajv.compile(parsed)
          expect(validate(value), `${JSON.stringify(parsed)} ${JSON.stringify(value)}`).toBe(true)
        },
      ),
      { numRuns: 600 },
    )
    expect(made).toBeGreaterThan(300)
  })
})
