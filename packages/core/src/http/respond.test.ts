import { describe, expect, it } from 'vitest'
import type { GatewayResponse } from '../contracts/host.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { GatewayError } from '../errors/errors.ts'
import { respondError, respondJson, respondStream, respondText } from './respond.ts'

const common = { 'x-request-id': 'req_1', 'x-content-type-options': 'nosniff', vary: 'authorization' }
const json = { ...common, 'content-type': 'application/json', 'cache-control': 'no-store' }

const parts = ({ status, headers, body }: GatewayResponse) => ({ status, headers, body })

describe('an answer', () => {
  it('of JSON has its headers and its text', () => {
    expect(parts(respondJson(201, { a: [1] }, 'req_1'))).toEqual({
      status: 201,
      headers: json,
      body: '{"a":[1]}',
    })
    expect(parts(respondText(200, '[1]', 'req_1', { 'x-room': '3' }))).toEqual({
      status: 200,
      headers: { ...json, 'x-room': '3' },
      body: '[1]',
    })
  })

  it('of a refusal has what the refusal says, before what others say', () => {
    const error = new GatewayError('method_not_supported', { headers: { allow: 'POST' } })
    const refuse = (more: Record<string, string>) => respondError(chatDialect, error, 'req_1', more, Date.now)
    expect(parts(refuse({ 'x-room': '3', allow: 'GET' }))).toEqual({
      status: 405,
      headers: { ...json, 'x-room': '3', allow: 'POST' },
      body: JSON.stringify(error.toBody()),
    })
    expect(refuse({}).headers).toEqual({ ...json, allow: 'POST' })
  })

  it('C85 of a stream is kept by nobody on the way', () => {
    async function* body() {}
    const pieces = body()
    expect(parts(respondStream(pieces, 'req_1', { 'x-room': '3' }))).toEqual({
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

  it('tells its headers as a list too, where nothing in them needs a look', () => {
    const list = (more: Record<string, string>, requestId = 'req_1') =>
      respondJson(200, null, requestId, more).headerList
    expect(list({ 'x-room': '3', vary: 'origin' })).toEqual([
      ...['content-type', 'application/json', 'x-request-id', 'req_1', 'cache-control', 'no-store'],
      ...['x-content-type-options', 'nosniff', 'vary', 'origin', 'x-room', '3'],
    ])
    for (const more of [
      { 'x-tab': 'a\tb' },
      { 'x-latin': '\xe9' },
      { 'X-Upper': '1' },
      { 'set-cookie': 'a=1' },
    ]) {
      expect(list(more as Record<string, string>)).toBeUndefined()
    }
    expect(list({ 'x-wide': 'Ł' })).toHaveLength(10)
    expect(list({}, 'req_é')).toBeUndefined()
  })
})
