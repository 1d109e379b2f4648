import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type ErrorReason, GatewayError } from '../errors/errors.ts'
import { UpstreamError, type UpstreamErrorDetails, type UpstreamFailure } from '../errors/upstream-error.ts'
import { toGatewayError } from './to-gateway-error.ts'

const refused = (details: Partial<UpstreamErrorDetails>, message = 'no') =>
  new UpstreamError(message, { kind: 'refused', ...details })

describe('toGatewayError', () => {
  it.each<[UpstreamFailure, ErrorReason]>([
    ['connect_timeout', 'upstream_timeout'],
    ['first_byte_timeout', 'upstream_timeout'],
    ['idle_timeout', 'upstream_timeout'],
    ['response_timeout', 'upstream_timeout'],
    ['total_timeout', 'upstream_timeout'],
    ['unreachable', 'upstream_error'],
    ['truncated', 'upstream_error'],
    ['garbled', 'upstream_error'],
  ])('tells %s as %s, without its words', (kind, refusal) => {
    const error = new UpstreamError('inside', { kind })
    const told = toGatewayError(error, 'm')
    expect(told).toMatchObject({ reason: refusal, cause: error })
    expect(told.message).not.toContain('inside')
  })

  it.each<[number | undefined, ErrorReason]>([
    [400, 'invalid_request'],
    [422, 'invalid_request'],
    [401, 'upstream_auth'],
    [403, 'upstream_auth'],
    [402, 'insufficient_quota'],
    [404, 'model_not_found'],
    [408, 'upstream_timeout'],
    [504, 'upstream_timeout'],
    [413, 'body_too_large'],
    [429, 'rate_limit_exceeded'],
    [503, 'overloaded'],
    [529, 'overloaded'],
    [500, 'upstream_error'],
    [301, 'upstream_error'],
    [undefined, 'upstream_error'],
  ])('tells status %s as %s', (status, refusal) => {
    const error = refused(status === undefined ? {} : { status })
    expect(toGatewayError(error, 'm')).toMatchObject({ reason: refusal, cause: error })
  })

  it('tells a kind that it does not know, of another copy of the package, as an upstream error', () => {
    const kind = 'melted' as UpstreamFailure
    const error = new UpstreamError('inside', { kind })
    expect(toGatewayError(error, 'm')).toMatchObject({ reason: 'upstream_error', cause: error })
  })

  describe('the time to wait', () => {
    it.each([
      [0, '1', '1000'],
      [1, '1', '1000'],
      [1_500.2, '2', '1501'],
      [60_000, '60', '60000'],
      [60_001, '60', '60000'],
      [3_600_000, '60', '60000'],
    ])('of %d ms is sent on as %s s, from a second to a minute', (retryAfterMs, seconds, ms) => {
      for (const status of [429, 503]) {
        const told = toGatewayError(refused({ status, retryAfterMs }), 'm')
        expect(told.headers).toEqual({ 'retry-after': seconds, 'retry-after-ms': ms })
      }
    })

    it.each([-1, Number.NaN, undefined])('of %s ms is left out', retryAfterMs => {
      const details = retryAfterMs === undefined ? {} : { retryAfterMs }
      expect(toGatewayError(refused({ status: 429, ...details }), 'm').headers).toEqual({})
      const told = toGatewayError(refused({ status: 503, ...details }), 'm').headers
      expect(told).toEqual({ 'retry-after': '1' })
    })
  })

  describe('a fault of the request', () => {
    it.each(publicCodes())('of code %s keeps its code', code => {
      expect(toGatewayError(refused({ status: 400, code }, 'Too much.'), 'm')).toMatchObject({
        reason: code,
        message: 'Too much.',
      })
    })

    it.each([
      'model_not_found',
      'server_error',
      'upstream_auth',
      'invalid_api_key',
      'invalid_json',
      'constructor',
    ])('of code %s is told without it', code => {
      expect(toGatewayError(refused({ status: 400, code }), 'm')).toMatchObject({
        reason: 'invalid_request',
        code: null,
        message: 'no',
      })
    })

    it('is told in words that leave nothing out of the upstream', () => {
      const told = toGatewayError(refused({ status: 400 }, 'no vllm-backend:8000'), 'm')
      expect(told.message).toBe('no [removed]')
      const inside = refused({ status: 400, code: 'invalid_value' }, 'Traceback (most recent call last):')
      expect(toGatewayError(inside, 'm').message).toBe(new GatewayError('invalid_value').message)
    })

    it.each([
      ['messages[0].content', 'messages[0].content'],
      ['a b', null],
      ['x'.repeat(201), null],
    ])('at %s names the param %s', (param, told) => {
      expect(toGatewayError(refused({ status: 400, param }), 'm').param).toBe(told)
    })
  })

  describe('the error of a vendor that speaks the dialect of the caller', () => {
    const error = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })
    const native = (status: number, body: unknown, text = JSON.stringify(body)) => ({
      dialect: 'messages',
      status,
      body: text,
    })
    const passed = (status: number, text: string, details: Partial<UpstreamErrorDetails> = {}) =>
      toGatewayError(refused({ status, native: native(status, undefined, text), ...details }), 'm').native

    it.each([400, 404, 409, 413, 422])('is passed on as it came, with status %i', status => {
      const text = ` {"error":{"type":"x","message":"max_tokens: 1.50 is too \\u0061 lot","n":1.0},"type":"error"}`
      expect(passed(status, text)).toEqual({ dialect: 'messages', status, body: text })
    })

    it.each([401, 402, 403, 429, 500, 503, 529])('is not passed on with status %i', status => {
      expect(passed(status, JSON.stringify(error('no')))).toBeUndefined()
    })

    it('is not passed on if it is about the account', () => {
      const text = JSON.stringify(error('Your credit balance is too low.'))
      expect(passed(400, text, { code: 'insufficient_quota' })).toBeUndefined()
      expect(
        toGatewayError(refused({ status: 401, native: native(400, error('Bad key.')) }), 'm').native,
      ).toBe(undefined)
    })

    it('has no keys, hosts and internals in its texts, and all else as it was', () => {
      const text = JSON.stringify({
        n: 1,
        ...error('Ask sk-ant-api03-abcdefgh at llm.corp:8080.'),
        list: ['ya29.a0AfH6SMBx'],
      })
      expect(passed(400, text.replace('"n":1', '"n": 1.0'))?.body).toBe(
        '{"n": 1.0,"type":"error","error":{"type":"invalid_request_error","message":"Ask [removed] at [removed]."},"list":["[removed]"]}',
      )
      expect(passed(400, JSON.stringify(error('Traceback (most recent call last): x')))).toBeUndefined()
    })

    it.each([
      ['no JSON', 'no'],
      ['no object', '[1]'],
      ['of endless depth', `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`],
      ['very long', JSON.stringify({ a: 'word '.repeat(20_000) })],
    ])('is not passed on if it is %s', (_, text) => {
      expect(passed(400, text)).toBeUndefined()
    })

    it('is seen by nobody who prints the error', () => {
      const told = toGatewayError(refused({ status: 400, native: native(400, error('canary')) }), 'm')
      expect(told.native?.body).toContain('canary')
      expect(inspect(told, { showHidden: true, depth: 10 })).not.toContain('canary')
      expect(JSON.stringify([told, told.toBody()])).not.toContain('canary')
    })
  })
})

/** The lines of the table whose status is 400 and whose code is their name. */
function publicCodes(): readonly string[] {
  const every: Record<ErrorReason, true> = {
    missing_api_key: true,
    limiter_unavailable: true,
    limit_store_full: true,
    authentication_unavailable: true,
    ledger_unavailable: true,
    idempotency_in_progress: true,
    already_processed: true,
    idempotency_key_reused: true,
    idempotency_unavailable: true,
    response_store_unavailable: true,
    response_not_found: true,
    idempotency_full: true,
    invalid_api_key: true,
    missing_scope: true,
    refused_by_policy: true,
    model_not_allowed: true,
    model_not_found: true,
    model_not_priced: true,
    previous_response_not_found: true,
    unknown_url: true,
    method_not_supported: true,
    websocket_not_supported: true,
    invalid_request: true,
    invalid_json: true,
    unsupported_content_type: true,
    missing_model: true,
    missing_required_parameter: true,
    empty_array: true,
    empty_string: true,
    invalid_image_url: true,
    invalid_type: true,
    invalid_value: true,
    decimal_above_max_value: true,
    decimal_below_min_value: true,
    integer_above_max_value: true,
    integer_below_min_value: true,
    array_above_max_length: true,
    string_above_max_length: true,
    object_above_max_properties: true,
    property_name_above_max_length: true,
    unknown_parameter: true,
    unsupported_parameter: true,
    unsupported_value: true,
    invalid_parameter_combination: true,
    context_length_exceeded: true,
    content_filter: true,
    request_timeout: true,
    client_disconnected: true,
    body_too_large: true,
    rate_limit_exceeded: true,
    tokens_rate_limit_exceeded: true,
    too_many_uploads: true,
    insufficient_quota: true,
    server_error: true,
    upstream_error: true,
    upstream_auth: true,
    overloaded: true,
    shutting_down: true,
    service_overloaded: true,
    upstream_timeout: true,
  }
  return (Object.keys(every) as ErrorReason[]).filter(name => {
    const { status, code } = new GatewayError(name)
    return status === 400 && code === name && !codesOfTheGateway.includes(name)
  })
}

/** What no vendor decides: stored responses and hooks. */
const codesOfTheGateway: readonly ErrorReason[] = ['previous_response_not_found', 'refused_by_policy']
