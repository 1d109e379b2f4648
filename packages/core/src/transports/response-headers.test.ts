import { expect, it } from 'vitest'
import { ResponseHeaders } from './response-headers.ts'

const headers = (...raw: string[]) => new ResponseHeaders(raw.map(text => Buffer.from(text, 'latin1')))

it('finds a header by its name in any case', () => {
  const found = headers('Content-Type', 'text/plain', 'X-Request-ID', 'a-1')
  expect(found.get('content-type')).toBe('text/plain')
  expect(found.get('x-Request-Id')).toBe('a-1')
})

it('tells of one that is not there, or is only like it', () => {
  const found = headers('content-type', 'text/plain', 'x-one\u0010', 'a')
  for (const name of ['content-typ', 'content-types', 'text/plain', 'x-one0', '__proto__', ''])
    expect(found.get(name)).toBeNull()
})

it('joins what comes more than once, and reads values as latin1', () => {
  const found = headers('Warning', 'a', 'x', 'y', 'warning', 'é', 'WARNING', '')
  expect(found.get('warning')).toBe('a, é, ')
})
