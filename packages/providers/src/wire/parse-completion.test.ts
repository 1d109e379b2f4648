import { UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { parseCompletion } from './parse-completion.ts'
import { parseJson } from './parse-json.ts'

function failureOf(text: string, read = (): never => expect.unreachable('it is read')): unknown {
  try {
    return parseCompletion(text, parseJson, read)
  } catch (error) {
    return error
  }
}

describe('parseCompletion', () => {
  it.each([
    ['', /an empty body/],
    [' \r\n', /an empty body/],
    ['secret', /no JSON/],
    ['{"a":1', /no JSON/],
    ['['.repeat(2_000), /nests without end/],
  ])('tells what is wrong with a body that cannot be read: %#', (text, words) => {
    const failure = failureOf(text)
    expect(failure).toMatchObject({ kind: 'garbled', message: expect.stringMatching(words) })
    expect(String(failure)).not.toContain('secret')
  })

  it('keeps the cause of what it tells', () => {
    expect(failureOf('{')).toMatchObject({ cause: expect.any(SyntaxError) })
    const cause = new TypeError('a reader that cannot')
    const throwing = () => {
      throw cause
    }
    expect(failureOf('{}', throwing)).toMatchObject({ kind: 'garbled', cause })
  })

  it('leaves a refusal that its reader finds as it is', () => {
    const refusal = new UpstreamError('No.', { kind: 'refused', status: 503 })
    const refusing = () => {
      throw refusal
    }
    expect(failureOf('{}', refusing)).toBe(refusal)
  })
})
