import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import type { ChatCompletion } from '../protocol/chat.ts'
import { respondCompletion, respondError, respondJson, respondStream } from './respond.ts'

const common = { 'x-request-id': 'req_1', 'x-content-type-options': 'nosniff', vary: 'authorization' }
const json = { ...common, 'content-type': 'application/json', 'cache-control': 'no-store' }

describe('an answer', () => {
  it('of JSON has its headers and its text', () => {
    expect(respondJson(201, { a: [1] }, 'req_1')).toEqual({ status: 201, headers: json, body: '{"a":[1]}' })
    const completion = { id: 'chatcmpl-1' } as ChatCompletion
    expect(respondCompletion(completion, 'req_1', { 'x-room': '3' })).toEqual({
      status: 200,
      headers: { ...json, 'x-room': '3' },
      body: '{"id":"chatcmpl-1"}',
    })
  })

  it('of a refusal has what the refusal says, before what others say', () => {
    const error = new GatewayError('method_not_supported', { headers: { allow: 'POST' } })
    expect(respondError(error, 'req_1', { 'x-room': '3', allow: 'GET' })).toEqual({
      status: 405,
      headers: { ...json, 'x-room': '3', allow: 'POST' },
      body: JSON.stringify(error.toBody()),
    })
    expect(respondError(error, 'req_1').headers).toEqual({ ...json, allow: 'POST' })
  })

  it('C85 of a stream is kept by nobody on the way', () => {
    async function* body() {}
    const pieces = body()
    expect(respondStream(pieces, 'req_1', { 'x-room': '3' })).toEqual({
      status: 200,
      headers: {
        ...common,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-room': '3',
      },
      body: pieces,
    })
  })

  it('leaves out what HTTP cannot carry', () => {
    const more = {
      'x-good': 'a\tb \x80\xff~',
      'x bad': '1',
      'bad:': '1',
      '': '1',
      'x-line': 'a\nb',
      'x-del': '\x7f',
      'x-wide': 'Ł',
      "!#$%&'*+.^_`|~09AZaz-": '',
    }
    const { headers } = respondJson(200, null, 'req_1', more)
    expect(headers).toEqual({ ...json, 'x-good': 'a\tb \x80\xff~', "!#$%&'*+.^_`|~09AZaz-": '' })
    expect(Object.keys(more)).toHaveLength(8)
  })
})
