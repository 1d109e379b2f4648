import type { RawExchange } from '@sluice/testing'
import { expect } from 'vitest'
import { type ExpectedError, expectError } from '../../../e2e/conformance/expect-error.ts'

/** Holds an answer to be this error, small, and without a word of the inside. */
export function expectRefusal(answer: RawExchange, status: number, expected: ExpectedError = {}): void {
  expectError(answer, status, expected)
  expect(answer.bytes.length).toBeLessThanOrEqual(4_096)
  expect(answer.body).not.toMatch(/node_modules|\.ts:\d|\.js:\d|127\.0\.0\.1|sk-upstream/)
}
