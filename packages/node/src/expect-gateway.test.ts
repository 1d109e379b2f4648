import { ConfigurationError } from '@sluice/core'
import { expect, it } from 'vitest'
import { expectGateway } from './expect-gateway.ts'

const fetch = async () => new Response()
const matches = () => true

it.each([
  [undefined, 'mount(): got undefined, expected a gateway, as createGateway({ ... }) returns it.'],
  [null, 'mount(): got null, expected a gateway, as createGateway({ ... }) returns it.'],
  ['secret', 'mount(): got a string, expected a gateway, as createGateway({ ... }) returns it.'],
  [
    { authenticate: 'secret' },
    'mount(): got a value without the functions fetch, matches, expected a gateway, as createGateway({ ... }) returns it.',
  ],
  [fetch, /without the functions fetch, matches,/],
  [{ fetch, matches: true }, /without the functions matches,/],
])('refuses %s', (value, message) => {
  const check = () => expectGateway('mount()', value, ['fetch', 'matches'])
  expect(check).toThrow(ConfigurationError)
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
