import type { JsonObject, JsonValue } from '@sluice/core/provider'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateJson } from './generate-json.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })

function expectValid(schema: JsonObject): void {
  const { json, unchecked } = generateJson(schema)
  const validate = ajv.compile(schema)
  expect(json, `${JSON.stringify(schema)} ${generateJson(schema).problem}`).toBeDefined()
  const value = JSON.parse(json!)
  expect(validate(value), `${JSON.stringify(schema)} ${json} ${JSON.stringify(validate.errors)}`).toBe(true)
  expect(unchecked.filter(keyword => keyword !== 'oneOf')).toEqual([])
  expect(generateJson(schema)).toEqual(generateJson(structuredClone(schema)))
}

const schemas: Readonly<Record<string, JsonObject>> = {
  'an enum': { enum: ['red', 2, null] },
  'a const': { const: { a: [1, 'x'] } },
  'a const of null': { const: null },
  'number bounds': { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1.5 },
  'narrow fractions': { type: 'number', minimum: 0.1, maximum: 0.2 },
  'negative integers': { type: 'integer', maximum: -7 },
  'integers above a bound': { type: 'integer', exclusiveMinimum: 41 },
  'a multiple': { type: 'integer', minimum: 10, multipleOf: 7 },
  'a multiple below a bound': { type: 'number', maximum: -0.3, multipleOf: 0.5 },
  'string lengths': { type: 'string', minLength: 12, maxLength: 14 },
  'a single character': { type: 'string', maxLength: 1 },
  'an empty string': { type: 'string', maxLength: 0 },
  'array bounds': { type: 'array', items: { type: 'integer' }, minItems: 3, maxItems: 3 },
  'prefix items': {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    items: false,
    minItems: 2,
  },
  'no items': { type: 'array', items: false },
  'nested objects': {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'boolean' } }, required: ['b'] } },
    required: ['a'],
    additionalProperties: false,
  },
  'required properties that are not described': {
    type: 'object',
    required: ['a'],
    additionalProperties: { type: 'integer' },
  },
  'optional properties without a value': {
    type: 'object',
    properties: { a: false, b: { type: 'integer', minimum: 2, maximum: 1 } },
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
  'a reference with a description': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a~1b', description: 'Other words.' } },
    $defs: { 'a/b': { type: 'integer', description: 'Words.' } },
  },
  'allOf with references': {
    allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    $defs: {
      a: { properties: { x: { const: 1 } }, required: ['x'] },
      b: { type: 'object', properties: { y: { type: 'null' } }, required: ['y'] },
    },
  },
  'anyOf beside properties': {
    type: 'object',
    properties: { kind: { type: 'string' } },
    required: ['kind'],
    anyOf: [{ properties: { size: { type: 'integer' } }, required: ['size'] }, { required: ['kind'] }],
  },
  'anyOf with an option that has no value': {
    anyOf: [false, { type: 'integer', minimum: 2, maximum: 1 }, { const: 5 }],
  },
  'anyOf and oneOf': { anyOf: [{ type: 'integer' }], oneOf: [{ minimum: 5 }, { maximum: 4 }] },
  'a discriminated union': {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] },
      { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
    ],
  },
  'several types': { type: ['null', 'string'] },
  'names of the prototype': {
    type: 'object',
    properties: JSON.parse('{"__proto__":{"type":"integer"},"constructor":{"type":"string"}}'),
    required: ['__proto__', 'constructor', 'toString'],
  },
  'no type': { properties: { a: {} }, required: ['a'] },
}

describe('generateJson', () => {
  it.each(Object.entries(schemas))('is valid for %s', (_, schema) => expectValid(schema))

  it('is valid for any schema of the supported vocabulary', () => {
    const leaf = fc.oneof(
      fc
        .tuple(fc.integer({ min: -30, max: 30 }), fc.nat(9), fc.boolean())
        .map(([minimum, width, isFraction]) =>
          isFraction
            ? { type: 'number', exclusiveMinimum: minimum, exclusiveMaximum: minimum + width + 0.5 }
            : { type: 'integer', minimum, maximum: minimum + width },
        ),
      fc.record({
        type: fc.constant('integer'),
        minimum: fc.integer(),
        multipleOf: fc.integer({ min: 1, max: 9 }),
      }),
      fc
        .tuple(fc.nat(20), fc.nat(9))
        .map(([minLength, width]) => ({ type: 'string', minLength, maxLength: minLength + width })),
      // Ajv compares by fast-deep-equal, which calls `toString` and `valueOf` of an object, whatever they are.
      fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }) }),
      fc.record({ const: fc.oneof(fc.string(), fc.array(fc.integer())) }),
      fc.constantFrom(
        { type: 'boolean' },
        { type: ['string', 'null'] },
        { $ref: '#/$defs/leaf' },
        { $ref: '#' },
      ),
    )
    const { schema } = fc.letrec<{ schema: object }>(tie => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.tuple(tie('schema'), fc.nat(3), fc.nat(3)).map(([items, minItems, width]) => ({
          type: 'array',
          items,
          minItems,
          maxItems: minItems + width,
        })),
        fc
          .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('schema')), fc.nat(2))
          .map(([properties, required]) => ({
            type: 'object',
            properties,
            required: Object.keys(properties).slice(0, required),
            additionalProperties: false,
          })),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      ),
    }))
    // The optional `root` ends what refers to the whole schema.
    const whole = schema.map(root => ({
      type: 'object',
      properties: { root },
      $defs: { leaf: { type: 'string', minLength: 2 } },
    }))
    fc.assert(
      fc.property(whole, any => expectValid(JSON.parse(JSON.stringify(any)))),
      { numRuns: 200 },
    )
  })

  it('names the keywords that it does not regard, and only those that it met', () => {
    const schema = {
      type: 'object',
      properties: {
        pattern: { type: 'string', format: 'email', pattern: '@' },
        items: { type: 'array', uniqueItems: true },
      },
      required: ['pattern'],
    }
    expect(generateJson(schema).unchecked).toEqual(['format', 'pattern', 'uniqueItems'])
    expect(generateJson({ ...schema, properties: { pattern: { type: 'string' } } }).unchecked).toEqual([])
    expect(generateJson({ allOf: [{ minimum: 5 }, { type: 'integer', minimum: 6 }] }).unchecked).toEqual([
      'minimum',
    ])
  })

  it.each<[string, JsonValue]>([
    ['no value at all', false],
    ['an unknown type', { type: 'text' }],
    ['an empty enum', { enum: [] }],
    ['bounds that exclude each other', { type: 'integer', minimum: 5, maximum: 4 }],
    ['counts that exclude each other', { type: 'array', minItems: 2, maxItems: 1 }],
    ['more items than described', { type: 'array', items: false, minItems: 1 }],
    ['a required property that may not be', { type: 'object', required: ['a'], additionalProperties: false }],
    [
      'required values nested without end',
      { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
    ],
    ['a reference to itself', { $ref: '#' }],
    ['allOf of itself', { allOf: [{ $ref: '#' }] }],
    ['anyOf of itself', { anyOf: [{ $ref: '#' }] }],
    ['a reference to nothing', { $ref: '#/$defs/gone' }],
    ['a reference into the prototype', { $ref: '#/constructor' }],
    ['too many items', { type: 'array', minItems: 1e9 }],
    ['too many characters', { type: 'string', minLength: 1e9 }],
  ])('refuses %s', (_, schema) => {
    expect(generateJson(schema)).toEqual({ problem: expect.stringMatching(/^In context=\(/), unchecked: [] })
  })

  it('takes a count below 0 as 0', () => {
    const schema = { type: 'array', minItems: -9, items: { type: 'string', minLength: -9, maxLength: 0 } }
    expect(generateJson(schema).json).toBe('[""]')
  })

  it('says where, and repeats no URL of a reference', () => {
    const items = { enum: [] }
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items, minItems: 1 } },
      required: ['a'],
    }
    expect(generateJson(schema).problem).toBe("In context=('a', '0'), the schema allows no value.")
    expect(generateJson({ $ref: 'https://example.com/schema.json' }).problem).not.toContain('example.com')
  })

  it('ends soon and stays small, whatever the schema', () => {
    const many = (length: number, part: (index: number) => JsonValue) =>
      Array.from({ length }, (_, at) => part(at))
    const named = (length: number) =>
      Object.fromEntries(many(length, at => [`p${at}`, true]) as [string, true][])
    const hostile: JsonValue[] = [
      { anyOf: many(300, () => ({ anyOf: many(300, () => ({ $ref: '#' })) })) },
      { allOf: many(200, () => ({ $ref: '#' })) },
      { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' } }, required: ['a', 'b'] },
      {
        type: 'object',
        properties: named(50_000),
        anyOf: many(2_000, () => ({ properties: named(9), type: 'text' })),
      },
      { type: 'object', required: many(50_000, at => `p${at}`) },
      {
        type: 'array',
        minItems: 1_000,
        items: { type: 'array', minItems: 1_000, items: { type: 'array', minItems: 1_000 } },
      },
      { type: 'array', minItems: 1_000, items: { type: 'string', minLength: 10_000 } },
      { type: 'array', minItems: 1_000, items: { const: 'x'.repeat(1e6) } },
      { type: 'array', minItems: 1_000, items: { type: 'object', required: ['x'.repeat(1e6)] } },
      { type: 'array', minItems: 1_000, items: { type: many(100_000, () => 'text') } },
      { type: 'array', minItems: 1_000, items: { $ref: `#/${'x'.repeat(1e6)}` } },
    ]
    for (const schema of hostile) {
      const start = performance.now()
      expect(generateJson(schema).json?.length ?? 0).toBeLessThan(10_000_000)
      expect(performance.now() - start, JSON.stringify(schema).slice(0, 100)).toBeLessThan(5_000)
    }
  })
})
