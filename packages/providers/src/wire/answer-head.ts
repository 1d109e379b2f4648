import type { UpstreamResponse } from '@sluice/core'
import { garbled } from './garbled.ts'

/**
 * Checks the head of an answer whose status is one of success. Throws `UpstreamError` of kind `garbled` where it
 * tells that the body is none, is only a part, or is a page for people.
 */
export function checkAnswerHead({ status, headers }: UpstreamResponse): void {
  if (status === 204 || status === 205) throw garbled('an empty body')
  if (status === 206) throw garbled('a part of a body')
  if (headers.get('content-type')?.toLowerCase().includes('html')) throw garbled('a web page')
}
