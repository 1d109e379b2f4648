import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curlLine } from './curl-line.ts'

describe('curlLine', () => {
  it('gives each word to curl as it is, whatever is in it', () => {
    const word = fc.string({ unit: 'grapheme-ascii', minLength: 1 })
    fc.assert(
      fc.property(word, word, (key, model) => {
        const line = curlLine('http://127.0.0.1:1/v1', key, model).replace(/^curl /, 'printf "%s\\n" ')
        const words = execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\n')
        expect(words[0]).toBe('http://127.0.0.1:1/v1/chat/completions')
        expect(words[2]).toBe(`authorization: Bearer ${key}`)
        expect(JSON.parse(words[6]!)).toMatchObject({ model })
      }),
      { numRuns: 40 },
    )
  })
})
