import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { errorInStream, parseErrorResponse } from './upstream-error-response.ts'

const createRefusedError = (status: number, body: unknown) =>
  parseErrorResponse(scriptedResponse({ status, body: JSON.stringify(body) }), () => 0)
const saying = (status: number, message: string) => createRefusedError(status, { error: { message } })

describe('an error answer', () => {
  it.each([
    [400, 'Your credit balance is too low to access the API.'],
    [403, 'Insufficient credits. Add more to go on.'],
    [429, 'You exceeded your current quota, please check your plan.'],
  ])('of status %d is of money: %s', async (status, words) => {
    expect(await saying(status, words)).toMatchObject({ status, code: 'insufficient_quota' })
  })

  it.each([
    [500, 'The credit balance could not be read.'],
    [404, 'No such credit balance.'],
    [401, 'The context window of this key is closed.'],
    [403, 'The context window of this model is not for you.'],
    [404, 'No model with such a context window.'],
    [500, 'invalid api key of a service behind it'],
  ])('of status %d means no more than it says: %s', async (status, words) => {
    expect(await saying(status, words)).toMatchObject({ status, code: null, vendorMessage: words })
  })

  it('says in words of ours whether the vendor gave a reason', async () => {
    expect((await saying(400, 'No.')).message).toBe('The upstream refused, with status 400.')
    expect((await createRefusedError(400, {})).message).toMatch(
      /^The upstream answered 400 and gave no reason/,
    )
    expect((await createRefusedError(300, {})).message).toMatch(/redirect \(300\)/)
  })

  it('keeps the first 4000 characters of what the vendor said', async () => {
    const most = 'x'.repeat(4_000)
    expect((await saying(400, most)).vendorMessage).toBe(most)
    expect((await saying(400, `${most}y`)).vendorMessage).toBe(`${most}...`)
  })

  it.each<[body: unknown, expected: object]>([
    [{ detail: null, message: 'No.' }, { vendorMessage: 'No.' }],
    [{ detail: { error: { message: 'No.', code: 'x' } } }, { vendorMessage: 'No.', code: 'x' }],
    [{ detail: { code: 'x', msg: 'No.' } }, { vendorMessage: 'No.', code: 'x' }],
    [{ detail: { code: 'x' } }, { vendorMessage: undefined, code: 'x' }],
    [{ message: [{ loc: ['body', 'n'], msg: 'No.' }] }, { vendorMessage: 'n: No.', param: 'n' }],
    [
      { detail: [{ loc: ['body'], msg: 'No.' }, { loc: ['query', 'n'] }, { msg: 'Nowhere.' }] },
      { vendorMessage: 'body: No.; query.n: invalid; body: Nowhere.', param: 'body' },
    ],
  ])('is read from %j', async (body, expected) => {
    expect(await createRefusedError(422, body)).toMatchObject({ kind: 'refused', status: 422, ...expected })
  })
})

describe('an error in a stream', () => {
  it.each<[value: unknown, status: number]>([
    [{ object: 'error', message: 'No.' }, 500],
    [{ type: 'overloaded', message: 'No.' }, 503],
    [{ error: { type: 'RateLimitError', message: 'No.' } }, 429],
    [{ error: { type: 'BadRequestError', message: 'No.' } }, 400],
    [{ error: { type: 'permission_error', message: 'No.' } }, 403],
    [{ error: { type: 'not_found_error', message: 'No.' } }, 404],
    [{ error: { type: 'timeout_error', message: 'No.' } }, 504],
  ])('%j stands for status %d', (value, status) => {
    expect(errorInStream(value)).toMatchObject({ kind: 'refused', status })
  })

  it.each([
    { detail: [] },
    { detail: 7 },
    { message: 'queued', code: 600 },
    { object: 'news', message: 'x' },
  ])('is not %j', value => {
    expect(errorInStream(value)).toBeUndefined()
  })
})
