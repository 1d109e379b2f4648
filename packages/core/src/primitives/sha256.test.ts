import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256Of } from './sha256.ts'

const byRuntime = sha256Of(process)
const portable = sha256Of(undefined)

describe('sha256Of', () => {
  it('is the same by the runtime and without it, for any text and any bytes', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
    )
    fc.assert(
      fc.property(anything, data => {
        const expected = createHash('sha256').update(data).digest('hex')
        expect(byRuntime(data)).toBe(expected)
        expect(portable(data)).toBe(expected)
      }),
    )
  })

  it('takes half a surrogate pair as U+FFFD', () => {
    for (const sha256 of [byRuntime, portable]) expect(sha256('a\ud800')).toBe(sha256('a\ufffd'))
  })

  it('does without where the runtime has no such function', () => {
    for (const modules of [{}, { getBuiltinModule: () => undefined }, { getBuiltinModule: () => ({}) }]) {
      expect(sha256Of(modules)('abc')).toBe(portable('abc'))
    }
  })
})
