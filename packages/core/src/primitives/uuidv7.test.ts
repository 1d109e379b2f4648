import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uuidv7 } from './uuidv7.ts'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })

describe('uuidv7', () => {
  it('is the example of RFC 9562, appendix A.6', () => {
    // random: 0xCC3 in rand_a, 0x18C4DC0C0C07398F in rand_b.
    expect(uuidv7(0x017f22e279b0, 'cc318c4dc0c0c07398f')).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
  })

  it('has the form of version 7, and the time that it was given, whatever random holds', () => {
    fc.assert(
      fc.property(time, fc.string({ unit: 'binary' }), (ms, random) => {
        const id = uuidv7(ms, random)
        expect(id).toMatch(form)
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms)
      }),
    )
  })

  it('sorts by time', () => {
    fc.assert(
      fc.property(time, time, fc.uuid(), fc.uuid(), (a, b, one, other) => {
        if (a < b) expect(uuidv7(a, one) < uuidv7(b, other)).toBe(true)
      }),
    )
  })

  it('takes a time with fractions, and one before 1970, for what it can tell of them', () => {
    expect(uuidv7(1.9, '0'.repeat(32))).toMatch(/^00000000-0001-7/)
    expect(uuidv7(-5, '0'.repeat(32))).toMatch(/^00000000-0000-7/)
  })

  it('is another one each time, also where its random is not random enough', () => {
    for (const random of ['', 'x', 'job-17', 'abc']) {
      expect(new Set(Array.from({ length: 100 }, () => uuidv7(5, random))).size).toBe(100)
    }
    const made = Array.from({ length: 1_000 }, () => uuidv7(5, crypto.randomUUID()))
    expect(new Set(made).size).toBe(1_000)
  })
})
