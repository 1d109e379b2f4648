import { describe, expect, it } from 'vitest'
import { holdsMap } from './holds-map.ts'

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
