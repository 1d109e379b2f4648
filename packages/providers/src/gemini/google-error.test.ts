import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { parseGoogleError } from './google-error.ts'

const refused = (status: number, error: object) =>
  parseGoogleError(scriptedResponse({ status, body: JSON.stringify({ error }) }), () => 0)

const quota = (violation: object = {}) => ({ violations: [violation] })
const spent = 'You exceeded your current quota.'

describe('parseGoogleError', () => {
  it.each<[what: string, error: object, code: string | null, retryAfterMs: number | undefined]>([
    ['words of a quota alone', { message: spent }, 'insufficient_quota', undefined],
    [
      'a quota that is no day’s',
      { message: spent, details: [quota({ quotaId: 'PerMinute' })] },
      null,
      undefined,
    ],
    ['a quota without a name', { message: spent, details: [quota()] }, null, undefined],
    ['a time to wait', { message: spent, details: [quota(), { retryDelay: '48s' }] }, null, 48_000],
    ['a time alone', { message: spent, details: [{ retryDelay: '48s' }] }, null, 48_000],
    ['a time in its words', { message: `${spent} Please retry in 5s.` }, null, 5_000],
    ['a part of a second in its words', { message: 'Please retry in 48.912s.' }, null, 48_912],
    ['a time of another form', { message: 'Slow.', details: [{ retryDelay: '1m30s' }] }, null, undefined],
    ['a time with more behind it', { message: 'Slow.', details: [{ retryDelay: '7s.' }] }, null, undefined],
  ])('knows a spent quota from a limit that passes: %s', async (_, error, code, retryAfterMs) => {
    const refusal = await refused(429, { code: 429, status: 'RESOURCE_EXHAUSTED', ...error })
    expect([refusal.status, refusal.code, refusal.retryAfterMs]).toEqual([429, code, retryAfterMs])
  })

  it('knows a wrong key by its reason, whatever the words', async () => {
    const error = { code: 400, message: 'No.', details: [{ reason: 'API_KEY_INVALID' }] }
    expect(await refused(400, error)).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  it('takes only a precondition for a fault of the account, and only a limit for a quota', async () => {
    const message = 'Invalid value at tools.location.'
    expect(await refused(400, { status: 'INVALID_ARGUMENT', message })).toMatchObject({ status: 400 })
    const long = 'The input token count (9) exceeds the maximum number of tokens allowed (8).'
    expect(await refused(400, { message: long, details: [quota()] })).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    })
  })

  it('keeps why a body could not be read', async () => {
    const cause = new Error('reset')
    const response = { ...scriptedResponse({ status: 429 }), text: () => Promise.reject(cause) }
    expect(await parseGoogleError(response, () => 0)).toMatchObject({ kind: 'refused', status: 429, cause })
  })
})
