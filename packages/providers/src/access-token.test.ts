import { UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { type AccessTokenOptions, accessToken } from './access-token.ts'

const misconfigured: readonly (readonly [AccessTokenOptions, RegExp])[] = [
  [{}, /acme: token or tokenProvider is missing/],
  [{ token: '' }, /acme\(\): token: got an empty string/],
  [{ token: 'a\nb' }, /acme\(\): token: got a string, expected one without/],
  [{ token: 'a', tokenProvider: () => 'b' }, /not both/],
  [
    { tokenProvider: 'b' as unknown as () => string },
    /got tokenProvider of type string, expected a function/,
  ],
]

describe('a fixed token', () => {
  it('is a header at once', () => {
    expect(accessToken({ token: 'ya29.secret' }, 'acme')()).toEqual({ authorization: 'Bearer ya29.secret' })
  })

  it.each(misconfigured)('refuses %o', (options, message) => {
    expect(() => accessToken(options, 'acme')).toThrow(TypeError)
    expect(() => accessToken(options, 'acme')).toThrow(message)
  })
})

/** What a provider of tokens may do wrong. */
const faults: readonly (readonly [string, () => string | Promise<string>])[] = [
  [
    'throws',
    () => {
      throw new Error('secret')
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret'))],
  ['gives nothing', () => undefined as unknown as string],
  ['gives an empty string', () => Promise.resolve('')],
  ['gives a number', () => 7 as unknown as string],
  ['gives what no header can carry', () => 'secret\r\nx: y'],
]

describe('a provider of tokens', () => {
  it('is asked before each call', async () => {
    let asked = 0
    const headers = accessToken({ tokenProvider: () => `t${++asked}` }, 'acme')
    expect(asked).toBe(0)
    expect(await headers()).toEqual({ authorization: 'Bearer t1' })
    expect(await headers()).toEqual({ authorization: 'Bearer t2' })
  })

  it.each(faults)('that %s is a refusal of the service', async (_what, tokenProvider) => {
    const failure: unknown = await Promise.resolve(accessToken({ tokenProvider }, 'acme')()).catch(e => e)
    expect(failure).toBeInstanceOf(UpstreamError)
    expect(failure).toMatchObject({ kind: 'refused', status: 401 })
    const { message, cause } = failure as UpstreamError
    expect(message).not.toContain('secret')
    expect(cause).toBeInstanceOf(Error)
  })
})
