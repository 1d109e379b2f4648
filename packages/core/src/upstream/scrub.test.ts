import { describe, expect, it } from 'vitest'
import { scrub } from './scrub.ts'

describe('scrub', () => {
  it.each([
    'sk-proj-abcdefghijklmnop',
    'sk-ant-api03-abcdefgh',
    'AIzaSyA1234567890abcdefg',
    'AKIAIOSFODNN7EXAMPLE',
    'gsk_abcdefghijklmnop',
    'Bearer abc.def',
    'https://api.vendor.example/v1?key=secret',
    'internal.svc:8080',
    '10.1.2.3:9000',
    'a'.repeat(40),
  ])('takes out %s', secret => {
    expect(scrub(`before ${secret} after`)).toBe('before [removed] after')
  })

  it('leaves what a caller needs', () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    expect(scrub(message)).toBe(message)
  })

  it('is bounded and has no control characters', () => {
    expect(scrub(`a\u0000\nb ${'word '.repeat(5_000)}`).length).toBeLessThanOrEqual(1_003)
    expect(scrub('a\u0000\nb')).toBe('a b')
  })
})
