import { expect, it } from 'vitest'
import { responseSchema } from './response-schema.ts'

it('keeps what Gemini knows, at any depth', () => {
  const schema = {
    $id: 'x',
    type: 'object',
    title: 'T',
    properties: {
      pattern: { type: 'string', enum: ['a'], format: 'date' },
      list: { type: 'array', items: { type: 'number', minimum: 0, maximum: 9 }, minItems: 1, maxItems: 2 },
      pair: { type: 'array', prefixItems: [{ type: 'null' }, { $ref: '#/$defs/P' }] },
      any: { anyOf: [{ type: 'string' }, { oneOf: [{ type: ['integer', 'null'] }] }] },
    },
    required: ['pattern'],
    additionalProperties: { type: 'string' },
    propertyOrdering: ['pattern', 'list'],
    $defs: { P: { $anchor: 'p', type: 'object', additionalProperties: false } },
  }
  expect(responseSchema(schema)).toEqual({ schema, leftOut: [] })
})

it('leaves out and names the rest', () => {
  const { schema, leftOut } = responseSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      a: { type: 'string', pattern: '^x', minLength: 1, default: 'x' },
      b: { type: 'array', items: { type: 'number', multipleOf: 2 }, uniqueItems: true },
      c: { anyOf: [{ type: 'string', maxLength: 3 }] },
    },
  })
  expect(schema).toEqual({
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'array', items: { type: 'number' } },
      c: { anyOf: [{ type: 'string' }] },
    },
  })
  expect(leftOut).toEqual([
    '$schema',
    'pattern',
    'minLength',
    'default',
    'multipleOf',
    'uniqueItems',
    'maxLength',
  ])
})

it('says in other words what it can', () => {
  const { schema, leftOut } = responseSchema({
    type: 'object',
    properties: { kind: { const: 'a' }, next: { $ref: '#/definitions/Node', description: 'More.' } },
    definitions: { Node: { type: 'object', additionalProperties: true } },
  })
  expect(schema).toEqual({
    type: 'object',
    properties: { kind: { enum: ['a'] }, next: { $ref: '#/$defs/Node' } },
    $defs: { Node: { type: 'object', additionalProperties: true } },
  })
  expect(leftOut).toEqual(['description'])
})
