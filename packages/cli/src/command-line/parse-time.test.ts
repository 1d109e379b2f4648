import { describe, expect, it } from 'vitest'
import { parseTime } from './parse-time.ts'

const now = Date.UTC(2026, 10, 21, 12)
const at = (text: string, direction: 1 | -1 = 1) => parseTime('--expires', text, now, direction)

describe('parseTime', () => {
  it('takes dates, times and spans in both directions', () => {
    expect(at('2026-12-31')).toBe(Date.UTC(2026, 11, 31))
    expect(at('2026-12-31T08:30Z')).toBe(Date.UTC(2026, 11, 31, 8, 30))
    expect(at('2026-12-31T08:30:05+02:00')).toBe(Date.UTC(2026, 11, 31, 6, 30, 5))
    expect(at('30d')).toBe(now + 30 * 86_400_000)
    expect(at('2w')).toBe(now + 14 * 86_400_000)
    expect(at('12h', -1)).toBe(now - 12 * 3_600_000)
  })

  it.each([
    '',
    'soon',
    '30',
    '30 d',
    '-3d',
    '2026-02-31',
    '2026-02-31T08:00Z',
    '2026-13-01',
    '2026-12-31T08:30',
    '1e9d',
    '31.12.2026',
  ])('refuses %j, and says what is expected', text => {
    expect(() => at(text)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^--expires is '.*', expected a date \(2026-12-31\)/),
        exitCode: 2,
      }),
    )
  })
})
