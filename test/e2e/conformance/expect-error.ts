import type { RawExchange } from '@sluice/testing'
import { expect } from 'vitest'

/** What an error answer says. What is not named is not looked at. */
export interface ExpectedError {
  readonly type?: string
  readonly code?: string | null
  readonly param?: string | null
  readonly message?: string | RegExp
}

/** Holds an answer to be an error in the protocol's shape (sections 4.1 and 4.4), and this one. */
export function expectError(answer: RawExchange, status: number, expected: ExpectedError = {}): void {
  expect(answer.status, answer.body).toBe(status)
  expect(answer.headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/)
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
  expect(answer.complete).toBe(true)
  expect(Object.keys(answer.json ?? {})).toEqual(['error'])
  const { error } = answer.json as unknown as { error: Record<string, unknown> }
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(error.message).toEqual(expect.any(String))
  expect(error.type).toEqual(expect.any(String))
  const { message, ...exact } = { type: 'invalid_request_error', ...expected }
  expect(error).toMatchObject(exact)
  if (typeof message === 'string') expect(error.message).toBe(message)
  else if (message !== undefined) expect(error.message).toMatch(message)
}
