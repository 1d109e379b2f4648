import { describe, expect, it } from 'vitest'
import type { GatewayResponse } from '../contracts/host.ts'
import { gatewayResponseKey } from './adapter-keys.ts'
import { nativeResponse, plainResponse } from './plain-response.ts'

const answerOf = (response: Response) =>
  (response as { readonly [gatewayResponseKey]?: GatewayResponse })[gatewayResponseKey]
const json: GatewayResponse = {
  status: 201,
  headers: { 'content-type': 'application/json', 'x-one': '1' },
  body: '{"a":"é"}',
}

describe.each([
  ['nativeResponse', nativeResponse],
  ['plainResponse', plainResponse],
])('%s', (_, make) => {
  it('is a Response in every member', async () => {
    const response = make(json)
    expect(response).toBeInstanceOf(Response)
    expect([response.status, response.ok, response.statusText, response.redirected]).toEqual([
      201,
      true,
      '',
      false,
    ])
    expect(response.headers.get('x-one')).toBe('1')
    expect(response.bodyUsed).toBe(false)
    const copy = response.clone()
    expect(await response.json()).toEqual({ a: 'é' })
    expect(response.bodyUsed).toBe(true)
    expect(await copy.text()).toBe('{"a":"é"}')
  })

  it('can be made into another Response', async () => {
    const response = make(json)
    const other = new Response(response.body, response)
    expect([other.status, other.headers.get('x-one'), await other.text()]).toEqual([201, '1', '{"a":"é"}'])
  })

  it('reads a streamed body as it comes and tells its source when the reader leaves', async () => {
    let left = 0
    async function* pieces() {
      try {
        yield 'one '
        yield 'two'
      } finally {
        left++
      }
    }
    expect(await make({ status: 200, headers: {}, body: pieces() }).text()).toBe('one two')
    const reader = make({ status: 200, headers: {}, body: pieces() }).body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(left).toBe(2)
  })
})

describe('plainResponse', () => {
  it('hands its answer to an adapter, with the headers as they are now', () => {
    const response = plainResponse(json)
    expect(answerOf(response)).toBe(json)
    response.headers.set('x-two', '2')
    expect(answerOf(response)).toMatchObject({
      status: 201,
      headers: { 'x-one': '1', 'x-two': '2' },
      body: json.body,
    })
  })

  it('has no answer any more once its native body was asked for, and keeps changed headers', () => {
    const response = plainResponse(json)
    response.headers.set('x-two', '2')
    expect(response.body).not.toBeNull()
    expect(answerOf(response)).toBeUndefined()
    expect(response.headers.get('x-two')).toBe('2')
  })
})
