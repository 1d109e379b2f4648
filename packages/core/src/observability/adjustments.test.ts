import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Adjustment } from '../contracts/provider.ts'
import { adjustmentHeaders } from './adjustments.ts'

const header = (adjustments: readonly Adjustment[]) => adjustmentHeaders(adjustments)['x-sluice-adjustments']!

/** A member of a list of RFC 9651: a string with parameters. */
interface Member {
  readonly value: string
  readonly parameters: Readonly<Record<string, string | number>>
}

/** Reads a list whose members are strings, as strictly as RFC 9651, section 4.2, wants it; throws for any other text. */
function listOf(text: string): Member[] {
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) throw new Error(`expected ${pattern} at ${at} of ${text}`)
    at = pattern.lastIndex
    return found[0]
  }
  const string = () =>
    take(/"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y)
      .slice(1, -1)
      .replaceAll(/\\(.)/g, '$1')
  const members: Member[] = []
  while (true) {
    const value = string()
    const parameters: Record<string, string | number> = {}
    while (text[at] === ';') {
      take(/; */y)
      const key = take(/[a-z*][a-z0-9_.*-]*/y)
      take(/=/y)
      if (text[at] === '"') parameters[key] = string()
      else if (/[\d-]/.test(text[at] ?? '')) parameters[key] = Number(take(/-?\d{1,15}/y))
      else parameters[key] = take(/[A-Za-z*][!#$%&'*+.^_`|~\w:/-]*/y)
    }
    members.push({ value, parameters })
    if (at === text.length) return members
    take(/[ \t]*,[ \t]*/y)
  }
}

describe('adjustmentHeaders', () => {
  it('says what was adjusted, and how', () => {
    expect(
      header([
        { parameter: 'seed', action: 'dropped' },
        { parameter: 'reasoning_effort', action: 'mapped', detail: 'thinking.budget_tokens=8192' },
        { parameter: 'max_tokens', action: 'defaulted', detail: '8192' },
      ]),
    ).toBe(
      '"seed";action=dropped, "reasoning_effort";action=mapped;detail="thinking.budget_tokens=8192", "max_tokens";action=defaulted;detail="8192"',
    )
  })

  it('counts what does not fit', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      parameter: `messages[${index}].reasoning_content`,
      action: 'dropped' as const,
    }))
    const members = listOf(header(many))
    const last = members.pop()
    expect(members.length).toBeGreaterThan(30)
    expect(members.map(({ value }) => value)).toEqual(
      many.slice(0, members.length).map(({ parameter }) => parameter),
    )
    expect(last).toEqual({ value: '*', parameters: { more: 500 - members.length } })
  })

  it('makes names harmless that a caller chose', () => {
    const odd = 'a"b\\c\r\nset-cookie: x=1, "d";é🙂'
    expect(header([{ parameter: odd, action: 'dropped' }])).toBe(
      '"a\\"b\\\\c??set-cookie: x=1, \\"d\\";???";action=dropped',
    )
  })

  it('is a list of RFC 9651 that fits a head, whatever the names', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom('"', '\\', '\n', '\0', ',', ';', '=', ' ', 'é', '🙂', '\ud800'),
        maxLength: 300,
      }),
    )
    const adjustment = fc.record<Adjustment>(
      { parameter: text, action: fc.constantFrom('dropped', 'mapped', 'defaulted'), detail: text },
      { requiredKeys: ['parameter', 'action'] },
    )
    fc.assert(
      fc.property(fc.array(adjustment, { minLength: 1, maxLength: 40 }), adjustments => {
        const value = header(adjustments)
        expect(value).toMatch(/^[\x20-\x7e]+$/)
        expect(value.length).toBeLessThan(2_100)
        const members = listOf(value)
        const told = members.filter(({ parameters }) => parameters.action !== undefined)
        const more = members.length > told.length ? Number(members.at(-1)?.parameters.more) : 0
        expect(told.length + more).toBe(adjustments.length)
        expect(members.length - told.length).toBe(more > 0 ? 1 : 0)
        for (const [index, { value, parameters }] of told.entries()) {
          const { parameter, action, detail } = adjustments[index]!
          const printable = (text: string) => text.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, '?')
          expect(value).toBe(printable(parameter))
          expect(parameters.action).toBe(action)
          expect(parameters.detail).toBe(detail === undefined ? undefined : printable(detail))
        }
      }),
    )
  })

  it('can be told to any client', () => {
    const { headers } = new Response(null, {
      headers: adjustmentHeaders([{ parameter: '\u2028\n', action: 'dropped' }]),
    })
    expect(headers.get('x-sluice-adjustments')).toBe('"??";action=dropped')
  })
})
