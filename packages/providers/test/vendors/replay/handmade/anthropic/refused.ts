import type { Handmade } from '../../handmade.ts'
import { told } from '../../told.ts'
import { jsonOf } from '../json-of.ts'
import { errors, failure } from './events.ts'

export const refused: readonly Handmade[] = (
  [
    ['529 overloaded', 529, failure('overloaded_error', 'Overloaded'), {}, told.overloaded],
    [
      '529 with a wait',
      529,
      failure('overloaded_error', 'Overloaded'),
      { 'retry-after': '6' },
      { ...told.overloaded, retryAfter: '6' },
    ],
    [
      '429 with a wait',
      429,
      failure('rate_limit_error', 'This request would exceed the rate limit of 50 requests per minute.'),
      { 'retry-after': '17', 'anthropic-ratelimit-requests-remaining': '0' },
      { ...told.rateLimited, retryAfter: '17' },
    ],
    ['402 billing', 402, failure('billing_error', 'There is an issue with your billing.'), {}, told.quota],
    [
      '400 without credit',
      400,
      failure('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      {},
      told.quota,
    ],
    [
      '400 too long',
      400,
      failure('invalid_request_error', 'prompt is too long: 203456 tokens > 200000 maximum'),
      {},
      { ...told.tooLong, message: '203456 tokens > 200000 maximum' },
    ],
    ['403 forbidden', 403, failure('permission_error', 'Your API key has no access.'), {}, told.auth],
    [
      '413 too large',
      413,
      failure('request_too_large', 'Request exceeds the maximum size'),
      {},
      told.tooLarge,
    ],
    ['500 failed', 500, failure('api_error', 'Internal server error'), {}, told.failed],
    ['504 timed out', 504, failure('timeout_error', 'Request timed out'), {}, told.timeout],
    ['200 overloaded', 200, failure('overloaded_error', 'Overloaded'), {}, told.overloaded],
  ] as const
).map(([name, status, body, headers, error]) => ({
  name: `error ${name}`,
  source: errors,
  sent: jsonOf({ ...body, request_id: 'req_handmade' }, status, headers),
  expected: { error },
}))

export const page: Handmade = {
  name: 'error 413 as a page of the network in front',
  source: errors,
  sent: {
    status: 413,
    headers: { 'content-type': 'text/html' },
    bytes: Buffer.from('<html><head><title>413 Request Entity Too Large</title></head></html>'),
  },
  expected: { error: told.tooLarge },
}
