import { describe, expect, it } from 'vitest'
import { type ErrorReason, errorTable, GatewayError } from '../../errors/errors.ts'
import { modelNotFound } from '../../errors/model-refusals.ts'
import { messagesError, messagesErrorEvent } from './error.ts'

const errorOf = (error: GatewayError) => {
  const { status, body, headers } = messagesError(error, 'req_1')
  const { type, message } = (body as { error: { type: string; message: string } }).error
  return { status, type, message, headers }
}

describe('an error of the Messages API', () => {
  it('has exactly the members that clients compare', () => {
    const { status, body } = messagesError(new GatewayError('server_error', { message: 'Sorry.' }), 'req_1')
    expect(status).toBe(500)
    expect(JSON.stringify(body)).toBe(
      '{"type":"error","error":{"type":"api_error","message":"Sorry."},"request_id":"req_1"}',
    )
  })

  it.each<[ErrorReason, number, string]>([
    ['missing_api_key', 401, 'authentication_error'],
    ['invalid_api_key', 401, 'authentication_error'],
    ['model_not_allowed', 403, 'permission_error'],
    ['model_not_priced', 403, 'permission_error'],
    ['model_not_found', 404, 'not_found_error'],
    ['unknown_url', 404, 'not_found_error'],
    ['method_not_supported', 405, 'invalid_request_error'],
    ['invalid_json', 400, 'invalid_request_error'],
    ['request_timeout', 408, 'invalid_request_error'],
    ['idempotency_in_progress', 409, 'conflict_error'],
    ['already_processed', 409, 'conflict_error'],
    ['body_too_large', 413, 'request_too_large'],
    ['idempotency_key_reused', 422, 'invalid_request_error'],
    ['rate_limit_exceeded', 429, 'rate_limit_error'],
    ['tokens_rate_limit_exceeded', 429, 'rate_limit_error'],
    ['too_many_uploads', 429, 'rate_limit_error'],
    ['insufficient_quota', 402, 'billing_error'],
    ['server_error', 500, 'api_error'],
    ['upstream_error', 502, 'api_error'],
    ['upstream_auth', 502, 'api_error'],
    ['overloaded', 529, 'overloaded_error'],
    ['service_overloaded', 529, 'overloaded_error'],
    ['shutting_down', 529, 'overloaded_error'],
    ['limiter_unavailable', 503, 'api_error'],
    ['authentication_unavailable', 503, 'api_error'],
    ['ledger_unavailable', 503, 'api_error'],
    ['upstream_timeout', 504, 'timeout_error'],
  ])('%s is %i %s', (reason, status, type) => {
    expect(errorOf(new GatewayError(reason))).toMatchObject({ status, type })
  })

  it('says whether a retry helps', () => {
    for (const reason of Object.keys(errorTable) as ErrorReason[]) {
      const { status, headers } = errorOf(new GatewayError(reason))
      expect(headers?.['x-should-retry'] === 'false', reason).toBe(
        [401, 402, 403, 404].includes(status) || reason === 'already_processed',
      )
      if ([429, 503, 529].includes(status)) expect(headers, reason).toHaveProperty('retry-after')
    }
    const later = new GatewayError('rate_limit_exceeded', { headers: { 'retry-after': '7' } })
    expect(errorOf(later).headers).toEqual({ 'retry-after': '7' })
  })

  it('names the field as the protocol writes paths', () => {
    const at = (message: string, param: string) =>
      errorOf(new GatewayError('invalid_value', { message, param })).message
    expect(at('Input should be a valid string', 'messages[0].content[12].text')).toBe(
      'messages.0.content.12.text: Input should be a valid string',
    )
    expect(at('max_tokens: Field required', 'max_tokens')).toBe('max_tokens: Field required')
    expect(errorOf(new GatewayError('missing_model')).message).toBe('model: Field required')
  })

  it('names a model that does not exist, and nothing else', () => {
    expect(errorOf(modelNotFound('gpt-9', { suggested: ['gpt-4o'] })).message).toBe('model: gpt-9')
    expect(errorOf(new GatewayError('model_not_found', { message: 'No such thing.' })).message).toBe(
      'No such thing.',
    )
  })

  it('names the header of a key', () => {
    expect(errorOf(new GatewayError('invalid_api_key')).message).toBe('invalid x-api-key')
    expect(errorOf(new GatewayError('missing_api_key')).message).toBe('x-api-key header is required')
    expect(errorOf(new GatewayError('invalid_api_key', { message: 'Expired.' })).message).toBe('Expired.')
  })

  it.each([
    [
      "This model's maximum context length is 4097 tokens. However, your messages resulted in 5000 tokens. Please reduce the length of the messages.",
      'prompt is too long: 5000 tokens > 4097 maximum',
    ],
    [
      "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion).",
      'input length and `max_tokens` exceed context limit: 1000 + 4000 > 4097',
    ],
    [
      "This model's maximum context length is 4097 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
      'prompt is too long: 5000 tokens > 4097 maximum',
    ],
    [
      "This model's maximum context length is 100 tokens. However, your messages have 200 words, and so no fewer tokens.",
      'prompt is too long: 200 tokens > 100 maximum',
    ],
    ['prompt is too long: 7 tokens > 3 maximum', 'prompt is too long: 7 tokens > 3 maximum'],
    ['Too much.', 'prompt is too long: Too much.'],
  ])('of a prompt that is too long has the text that clients act upon: %s', (message, expected) => {
    expect(errorOf(new GatewayError('context_length_exceeded', { message, param: 'messages' })).message).toBe(
      expected,
    )
  })

  it('of too many output tokens has the text that clients act upon', () => {
    const message =
      'max_completion_tokens is too large: 9. This model supports at most 4 completion tokens, whereas you provided 9.'
    expect(errorOf(new GatewayError('invalid_value', { message, param: 'max_tokens' })).message).toBe(
      'max_tokens: 9 > 4, which is the maximum allowed number of output tokens for this model',
    )
  })

  it('ends a stream', () => {
    expect(messagesErrorEvent(new GatewayError('overloaded', { message: 'Busy.' }), 'req_1')).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy."},"request_id":"req_1"}\n\n',
    )
    expect(messagesErrorEvent(new GatewayError('overloaded'))).toContain('"request_id":null')
  })
})
