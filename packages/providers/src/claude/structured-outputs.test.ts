import type { JsonObject } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsMap, supportedSchema } from './structured-outputs.ts'

describe('supportedSchema', () => {
  it('leaves a schema as it is that is taken already', () => {
    const schema = {
      type: 'object',
      title: 'T',
      properties: {
        at: { type: 'string', format: 'date-time' },
        tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 },
        either: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }], default: null },
        pattern: { const: 1 },
      },
      required: ['at'],
      additionalProperties: false,
      $defs: { node: { type: 'object', properties: {}, additionalProperties: false } },
    }
    expect(supportedSchema(schema)).toEqual({ schema, changed: [] })
  })

  it('closes objects, and says in words what it leaves out', () => {
    const { schema, changed } = supportedSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, maximum: 150, description: 'In years.' },
        code: { type: 'string', pattern: '^a', minLength: 2, format: 'regex' },
        list: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'object' }] }, minItems: 2 },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        other: { not: { type: 'null' }, multipleOf: 2 },
      },
    })
    expect(schema).toEqual({
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'In years. (minimum: 0, maximum: 150)' },
        code: { type: 'string', description: '(pattern: "^a", minLength: 2, format: "regex")' },
        list: {
          type: 'array',
          items: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: false }] },
          description: '(minItems: 2)',
        },
        map: {
          type: 'object',
          additionalProperties: false,
          description: '(additionalProperties: {"type":"string"})',
        },
        other: { description: '(not: {"type":"null"}, multipleOf: 2)' },
      },
      additionalProperties: false,
    })
    expect([...changed].sort()).toEqual([
      'additionalProperties',
      'format',
      'maximum',
      'minItems',
      'minLength',
      'minimum',
      'multipleOf',
      'not',
      'oneOf',
      'pattern',
    ])
  })

  it('takes any object, and what it makes is taken as it is', () => {
    const keys = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'oneOf',
      '$defs',
      'minimum',
      'additionalProperties',
      'description',
      '__proto__',
      'enum',
    )
    const { tree } = fc.letrec(tie => ({
      tree: fc.dictionary(
        keys,
        fc.oneof(
          { depthSize: 'small' },
          fc.constantFrom('object', 'string', 3, false, null),
          fc.array(tie('tree'), { maxLength: 2 }),
          tie('tree'),
        ),
      ),
    }))
    fc.assert(
      fc.property(tree, given => {
        const before = JSON.stringify(given)
        const { schema } = supportedSchema(given as JsonObject)
        expect(JSON.stringify(given)).toBe(before)
        const again = supportedSchema(schema)
        expect(again.schema).toEqual(schema)
      }),
    )
  })
})

const map = { type: 'object', additionalProperties: { type: 'string' } }
const closed = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }

describe('holdsMap', () => {
  it.each([
    map,
    { type: 'object' },
    { type: ['object', 'null'] },
    { type: 'object', properties: {}, additionalProperties: true },
    { properties: { a: {} }, patternProperties: { '^x': {} } },
    { ...closed, properties: { a: map } },
    { ...closed, properties: { a: { type: 'array', items: map } } },
    { ...closed, properties: { a: { anyOf: [{ type: 'null' }, map] } } },
    { ...closed, $defs: { a: { allOf: [closed, map] } } },
  ])('finds the map of %j', schema => {
    expect(holdsMap(schema)).toBe(true)
  })

  it.each([
    {},
    { type: 'string' },
    closed,
    { type: 'object', properties: { a: {} }, additionalProperties: true },
    { type: 'object', additionalProperties: false },
    { type: 'object', properties: {} },
    { ...closed, properties: { a: { type: 'array', items: [closed] }, b: { enum: [{}] } } },
    { ...closed, properties: { properties: { type: 'string' }, type: { const: 'object' } } },
  ])('finds none in %j', schema => {
    expect(holdsMap(schema)).toBe(false)
  })
})
