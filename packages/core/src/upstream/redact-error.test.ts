import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError, type UpstreamErrorDetails } from '../errors/upstream-error.ts'
import { Credentials } from './credentials.ts'
import { redactError } from './redact-error.ts'

const key = 'canary-7d1e55c2b9'
const credentials = new Credentials({ url: 'https://v.test/v1', headers: { authorization: `Bearer ${key}` } })

const refused = (details: Partial<UpstreamErrorDetails>, message = 'Refused.') =>
  new UpstreamError(message, { kind: 'refused', status: 400, ...details })

/** All that anybody could print of an error. */
const printed = (error: unknown) => inspect(error, { depth: 10, showHidden: true })

describe('redactError', () => {
  it('leaves an error that holds nothing of it', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
    const error = refused({ code: 'invalid_value', type: 'com.vendor/Bad', param: 'messages[0].role', cause })
    expect(redactError(error, credentials)).toBe(error)
    const refusal = new GatewayError('unsupported_value', { param: 'n' })
    expect(redactError(refusal, credentials)).toBe(refusal)
  })

  it('takes the key out of every part, and keeps what else is known', () => {
    const error = refused(
      {
        vendorMessage: `The key ${key} is wrong.`,
        code: key,
        type: `bad_${key}`,
        param: `${key}.x`,
        retryAfterMs: 5,
        cause: new Error('outer', { cause: Object.assign(new Error('inner'), { url: `/?key=${key}` }) }),
      },
      `The key ${key} is wrong.`,
    )
    const clean = redactError(error, credentials)
    expect(printed(clean)).not.toContain('canary')
    expect(clean).toMatchObject({
      kind: 'refused',
      status: 400,
      retryAfterMs: 5,
      message: 'The key [removed] is wrong.',
      vendorMessage: 'The key [removed] is wrong.',
      code: null,
      type: null,
      param: null,
    })
    expect(clean.stack).toContain('redact-error.test.ts')
  })

  it('takes the key out of the whole error of a vendor', () => {
    const native = {
      dialect: 'messages',
      status: 400,
      body: `{"error":{"message":"The key ${key} is wrong."}}`,
    }
    const body = '{"error":{"message":"The key [removed] is wrong."}}'
    expect(redactError(refused({ native }), credentials)).toMatchObject({ native: { ...native, body } })
    expect(redactError(new GatewayError('invalid_request', { native }), credentials)).toMatchObject({
      native: { ...native, body },
    })
    const harmless = refused({ native: { ...native, body } })
    expect(redactError(harmless, credentials)).toBe(harmless)
  })

  it.each(['Tell me of my illness', 'sk-abcdefgh12345678', 'a'.repeat(201), 'a\nb', ''])(
    'takes no sentence and no secret for a code: %j',
    word => {
      const clean = redactError(refused({ code: word, type: word, param: word }), credentials)
      expect(clean).toMatchObject({ code: null, type: null, param: null })
    },
  )

  it('says by its code what went wrong with a host that it does not name', () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND v.test'), { code: 'ENOTFOUND' })
    const clean = redactError(refused({ cause }), credentials)
    expect(printed(clean)).not.toContain('v.test')
    expect(clean.cause).toMatchObject({
      code: 'ENOTFOUND',
      message: expect.stringMatching(/^Error ENOTFOUND, /),
    })
  })

  it.each(['canary-7d1e55c2b9', 'CANARY-7D1E55C2B9', 'no such host', 7])(
    'takes no secret and no sentence for the code of a cause: %j',
    code => {
      const cause = Object.assign(new Error(`failed at v.test`), { code })
      const clean = redactError(refused({ cause }), credentials)
      expect(clean.cause).not.toHaveProperty('code')
      expect(printed(clean)).not.toMatch(/canary/i)
    },
  )

  it('does not hand on what a parser quotes, however deep', () => {
    let quoted: unknown
    try {
      JSON.parse('my prompt')
    } catch (error) {
      quoted = error
    }
    expect(printed(quoted)).toContain('my prompt')
    for (const cause of [
      quoted,
      new Error('outer', { cause: quoted }),
      new AggregateError([quoted], 'some'),
    ]) {
      const clean = redactError(refused({ cause }), credentials)
      expect(printed(clean)).not.toContain('my prompt')
      expect(clean.cause).toMatchObject({ message: expect.stringMatching(/^\w+, message removed/) })
      expect((clean.cause as Error).stack).toContain('redact-error.test.ts')
    }
  })

  it('cleans what a provider refuses with', () => {
    const details = { message: `Not ${key}.`, param: key, headers: { 'x-a': key, 'x-b': 'b' }, cause: key }
    const clean = redactError(new GatewayError('invalid_value', details), credentials)
    expect(printed(clean)).not.toContain('canary')
    expect(clean).toMatchObject({ reason: 'invalid_value', message: 'Not [removed].' })
    expect((clean as GatewayError).headers).toEqual({ 'x-b': 'b' })
  })

  it.each([
    ['a Request', { request: new Request('http://v', { headers: { authorization: `Bearer ${key}` } }) }],
    ['Headers', { headers: new Headers({ 'x-api-key': key }) }],
    ['a URL', { url: new URL(`http://v/?key=${key}`) }],
    ['a Map', { given: new Map([['key', key]]) }],
    ['the name of a member', { [key]: true }],
    ['a member that is named by a symbol', { [Symbol('key')]: key }],
    [
      'what is behind thousands of members',
      { many: Array.from({ length: 2_000 }, () => ({})), after: { key } },
    ],
  ])('takes the key out of a cause that has it in %s', (_, members) => {
    const clean = redactError(refused({ cause: Object.assign(new Error('a'), members) }), credentials)
    expect(printed(clean)).not.toContain('canary')
  })

  it('leaves a cause with other members', () => {
    const members = { request: new Request('http://v'), body: new Uint8Array(5_000), tries: [1, 2] }
    const cause = Object.assign(new Error('a'), members)
    expect(redactError(refused({ cause }), credentials).cause).toBe(cause)
  })

  it('does not hand on a cause that cannot be read', () => {
    const entries = () => {
      throw new Error('no entries')
    }
    const clean = redactError(refused({ cause: { entries } }), credentials)
    expect(clean.cause).toMatchObject({ message: expect.stringMatching(/^Error, message removed/) })
  })

  it('stands causes that hold themselves', () => {
    const cause: { self?: unknown } = {}
    cause.self = cause
    expect(redactError(refused({ cause }), credentials).cause).toBe(cause)
  })
})
