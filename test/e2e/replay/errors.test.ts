import type { Split } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { present, recordings } from './recordings.ts'
import { replaying } from './vendor.ts'

const errors = recordings.filter(({ kind }) => kind === 'error')
const { ask } = await replaying(errors)

/** What a caller is told of a vendor's status: its own key failing is not the caller's fault. */
const told: Record<number, number> = { 400: 400, 401: 502, 404: 404, 429: 429 }
const contextTooLong = ['llamacpp/error-context.400.json', 'deepseek/error-400.400.json']

describe.skipIf(!present)('recorded errors (skipped where ../shared/fixtures is absent)', () => {
  it('are there', () => {
    expect(errors.length).toBeGreaterThan(12)
  })

  it.each(errors.map(recording => [recording.name, recording] as const))('%s', async (name, recording) => {
    const answers: string[] = []
    for (const stream of [false, true]) {
      for (const split of ['whole', { seed: 7 }, 'bytes'] satisfies Split[]) {
        const answer = await ask(recording, split, { stream })
        expect(answer.status, answer.body).toBe(told[recording.status])
        expect(answer.headers['content-type']).toBe('application/json')
        expect(answer.headers['x-request-id']).toMatch(/^req_/)
        answers.push(answer.body)
      }
    }
    for (const answer of answers) expect(answer).toBe(answers[0])
    const { error } = JSON.parse(answers[0]!)
    expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
    expect(error.message).toMatch(/\S/)
    if (contextTooLong.includes(name)) expect(error.code).toBe('context_length_exceeded')
    if (recording.status === 400) {
      // The request's own fault is told in the vendor's words, without addresses.
      const [words = ''] = error.message.split('[removed]')
      expect(textsIn(JSON.parse(Buffer.from(recording.bytes).toString()))).toContainEqual(
        expect.stringContaining(words),
      )
      expect(error.type).toBe('invalid_request_error')
    } else if (recording.status === 401) {
      expect(error).toMatchObject({ type: 'server_error', code: 'upstream_auth', param: null })
    } else if (recording.status === 404) {
      expect(error).toMatchObject({
        code: 'model_not_found',
        message: expect.stringContaining(`\`${name}\``),
      })
    } else {
      expect(error.code).toBe('rate_limit_exceeded')
    }
  })
})

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
