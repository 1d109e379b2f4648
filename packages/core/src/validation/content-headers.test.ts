import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { checkContentEncoding, checkContentType } from './content-headers.ts'

const head = (name: string, value: string | null) => ({
  get: (asked: string) => (asked === name ? value : null),
})

function refusedHeaders(check: () => void): GatewayError | undefined {
  try {
    check()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  return undefined
}

const typed = (value: string | null) => refusedHeaders(() => checkContentType(head('content-type', value)))
const coded = (value: string | null) => refusedHeaders(() => checkContentEncoding(head('content-encoding', value)))

describe('checkContentType', () => {
  it.each([
    'application/json',
    'Application/JSON',
    ' application/json ',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json; Charset = "utf-8" ',
    'application/json; profile="a"; charset=utf-8; x',
  ])('takes %j', value => {
    expect(typed(value)).toBeUndefined()
  })

  it.each([
    ['text/plain', 'text/plain'],
    ['text/plain; charset=utf-8', 'text/plain'],
    [' Text/Plain ;a', 'Text/Plain'],
    ['', ''],
    ['application/jsonp', 'application/jsonp'],
    ['application/json; charset=utf-16', 'application/json; charset=utf-16'],
    ['application/json; charset=utf-8; charset=latin1', 'application/json; charset=utf-8; charset=latin1'],
    ['application/json; charset=xutf-8', 'application/json; charset=xutf-8'],
    ['application/json; charset=utf-8x', 'application/json; charset=utf-8x'],
    ['application/json; charset', 'application/json; charset'],
  ])('refuses %j, and names %j', (value, shown) => {
    const refusal = typed(value)
    expect(refusal).toMatchObject({ refusal: 'unsupported_content_type', status: 400 })
    expect(refusal?.message).toBe(
      `Unsupported content type: '${shown}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${value}'. Please try again with a supported content type.`,
    )
  })

  it('says that there is none', () => {
    expect(typed(null)?.message).toBe(
      "Unsupported content type. This API method only accepts 'application/json' requests, but you specified no 'Content-Type' header. Please try again with a supported content type.",
    )
  })
})

describe('checkContentEncoding', () => {
  it.each([null, '', ' ', 'identity', ' Identity '])('takes %j', value => {
    expect(coded(value)).toBeUndefined()
  })

  it.each(['gzip', 'br', 'identity, gzip', 'x'])('refuses %j', value => {
    expect(coded(value)).toMatchObject({ refusal: 'invalid_request', status: 400 })
    expect(coded(value)?.message).toBe(
      `Unsupported content encoding: '${value}'. Expected the body as it is, without the header 'Content-Encoding'.`,
    )
  })
})
