import { expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = () => Date.UTC(2028, 0, 15)
const after = (value: string) => retryAfterMs(new Headers({ 'retry-after': value }), now)

it.each([
  ['0.25', 250],
  ['Sat Jan 15 00:00:10 2028', 10_000],
])('%s is a time to wait', (value, ms) => {
  expect(after(value)).toBe(ms)
})

it.each([
  ['with a unit', '7s'],
  ['that two proxies told', '7, 9'],
  ['with a zone of its own', 'Sat, 15 Jan 2028 00:00:10 GMT+0200'],
  ['of asctime with a zone', 'Sat Jan 15 00:00:10 2028 +0200'],
  ['with words around it', 'not before Sat, 15 Jan 2028 00:00:10 GMT'],
  ['of asctime with words around it', 'not before Sat Jan 15 00:00:10 2028'],
])('a time %s makes no sense: %s', (_, value) => {
  expect(after(value)).toBeUndefined()
})
