import { expect, it } from 'vitest'
import { expectGateway } from './expect-gateway.ts'

const fetch = async () => new Response()
const matches = () => true

it.each([
  [undefined, 'mount: got undefined; pass what createGateway({ ... }) returned.'],
  [null, 'mount: got null; pass what createGateway({ ... }) returned.'],
  ['secret', 'mount: got a string; pass what createGateway({ ... }) returned.'],
  [
    { authenticate: 'secret' },
    'mount: got something without the functions fetch, matches; pass what createGateway({ ... }) returned.',
  ],
  [fetch, /without the functions fetch, matches;/],
  [{ fetch, matches: true }, /without the functions matches;/],
])('refuses %s', (value, message) => {
  const check = () => expectGateway('mount', value, ['fetch', 'matches'])
  expect(check).toThrow(TypeError)
  expect(check).toThrow(message)
})

it('takes whatever has the functions', () => {
  expectGateway('mount', { fetch, matches }, ['fetch', 'matches'])
  expectGateway(
    'mount',
    Object.assign(() => {}, { fetch }),
    ['fetch'],
  )
})
