import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { GatewayError } from './errors.ts'
import { UpstreamError } from './upstream-error.ts'

describe('GatewayError', () => {
  it('has its place in the protocol by its name', () => {
    expect(new GatewayError('model_not_found')).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'model_not_found',
      param: null,
    })
  })

  it('becomes an answer with all four keys', async () => {
    const response = new GatewayError('invalid_value', { message: 'Bad.', param: 'n' }).toResponse()
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      error: { message: 'Bad.', type: 'invalid_request_error', param: 'n', code: 'invalid_value' },
    })
  })

  it('carries the headers that its status calls for', () => {
    expect(new GatewayError('missing_api_key').headers['www-authenticate']).toMatch(/^Bearer realm=/)
    expect(new GatewayError('invalid_api_key').headers['www-authenticate']).toContain('invalid_token')
    expect(new GatewayError('insufficient_quota').headers).toEqual({ 'x-should-retry': 'false' })
    for (const reason of [
      'missing_api_key',
      'invalid_api_key',
      'model_not_allowed',
      'model_not_found',
    ] as const) {
      expect(new GatewayError(reason).headers['x-should-retry'], reason).toBe('false')
    }
    const own = new GatewayError('missing_scope', { headers: { 'x-should-retry': 'true' } })
    expect(own.headers).toEqual({ 'x-should-retry': 'true' })
    expect(new GatewayError('rate_limit_exceeded').headers).toEqual({})
    expect(new GatewayError('overloaded').headers).toEqual({ 'retry-after': '1' })
    expect(new GatewayError('overloaded', { headers: { 'retry-after': '9' } }).headers).toEqual({
      'retry-after': '9',
    })
  })

  it('quotes a caller in one line', () => {
    const error = new GatewayError('invalid_value', {
      message: 'Got a\r\nb\u001b[31m.',
      param: 'metadata.a\nb',
    })
    expect(error.message).toBe('Got a b\\u001b[31m.')
    expect(error.param).toBe('metadata.a b')
  })

  it('says whether the same request may succeed later', () => {
    expect(new GatewayError('rate_limit_exceeded').retryable).toBe(true)
    expect(new GatewayError('upstream_error').retryable).toBe(true)
    expect(new GatewayError('insufficient_quota').retryable).toBe(false)
    expect(new GatewayError('invalid_value').retryable).toBe(false)
  })

  it('is known also across copies of the package', () => {
    const foreign = Object.defineProperty({}, Symbol.for('sluice.GatewayError'), { value: true })
    expect(GatewayError.is(foreign)).toBe(true)
    expect(GatewayError.is(new UpstreamError('x', { kind: 'garbled' }))).toBe(false)
    expect(UpstreamError.is(new UpstreamError('x', { kind: 'garbled' }))).toBe(true)
    expect(GatewayError.is(null)).toBe(false)
  })
})

describe('UpstreamError', () => {
  it("keeps the vendor's words where nobody prints them by chance", () => {
    const vendorMessage = 'You said: my illness'
    const error = new UpstreamError('It refused.', { kind: 'refused', status: 400, vendorMessage })
    expect(error.vendorMessage).toBe(vendorMessage)
    expect(new UpstreamError('It refused.', { kind: 'refused' }).vendorMessage).toBeUndefined()
    const own = Object.getOwnPropertyNames(error)
    for (const printed of [
      inspect(error, { showHidden: true }),
      JSON.stringify(error, own),
      own.map(name => Reflect.get(error, name)).join(),
    ]) {
      expect(printed).toContain('It refused.')
      expect(printed).not.toContain('illness')
    }
  })
})
