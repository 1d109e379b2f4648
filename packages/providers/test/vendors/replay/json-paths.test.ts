import { expect, it } from 'vitest'
import { valuesAt, without } from './json-paths.ts'

const value = { a: [{ b: 1, c: 2 }, { b: 3 }], d: { e: null } }

it.each([
  ['a[0].b', [1]],
  ['a[*].b', [1, 3]],
  ['a[1]', [{ b: 3 }]],
  ['d.e', [null]],
  ['a.x', []],
  ['d.e.f', []],
])('finds what is at %s', (path, found) => {
  expect(valuesAt(value, path)).toEqual(found)
})

it.each([
  ['a[0].b', { a: [{ c: 2 }, { b: 3 }], d: { e: null } }],
  ['a[*].b', { a: [{ c: 2 }, {}], d: { e: null } }],
  ['a[0]', { a: [{ b: 3 }], d: { e: null } }],
  ['d', { a: [{ b: 1, c: 2 }, { b: 3 }] }],
  ['x.y', value],
])('takes out what is at %s', (path, left) => {
  expect(without(value, path)).toEqual(left)
})
