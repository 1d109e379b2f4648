import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactJsonText, parseExactJson } from './exact-json.ts'

describe('parseExactJson and exactJsonText', () => {
  it.each([
    '{"id":175928847299117063}',
    '[-9223372036854775808,18446744073709551615,9007199254740991,9007199254740993]',
    '{"a":{"b":[123456789012345678901234567890]},"12345678901234567890":"12345678901234567890"}',
    '{"text":"\\"id\\":175928847299117063, \\\\","more":175928847299117063}',
  ])('keep the digits of %s', text => {
    expect(exactJsonText(parseExactJson(text))).toBe(text)
  })

  it('leave numbers alone that are no whole ones, or that a double holds', () => {
    const text = '[0.1234567890123456789,1e30,9007199254740991]'
    expect(parseExactJson(text)).toEqual(JSON.parse(text))
    const long = '[12345678901234567890.5,1234567890123456789e3,-1234567890123456789E+3]'
    expect(exactJsonText(parseExactJson(long))).toBe(JSON.stringify(JSON.parse(long)))
  })

  it('do not mistake a text for a number', () => {
    const value = ['\ud800175928847299117063', '"\\ud800175928847299117063"', 175928847299117]
    const text = JSON.stringify(value)
    expect(parseExactJson(text)).toEqual(value)
    expect(exactJsonText(['\\ud8001', '"\\ud8001"'])).toBe('["\\\\ud8001","\\"\\\\ud8001\\""]')
  })

  it('take no text that is no JSON, with large numbers or without', () => {
    for (const text of ['', '{"a":01234567890123456789}', '{"a":1234567890123456789', '"1234567890123456789'])
      expect(() => parseExactJson(text)).toThrow(SyntaxError)
    expect(() => parseExactJson(`${'['.repeat(600)}12345678901234567890${']'.repeat(600)}`)).toThrow(/nests/)
  })

  it('say of any JSON what JSON.parse and JSON.stringify say', () => {
    fc.assert(
      fc.property(fc.json(), fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (text, large) => {
        expect(exactJsonText(parseExactJson(text))).toBe(JSON.stringify(JSON.parse(text)))
        const exact = `{"large":${large},"list":[${text}]}`
        expect(exactJsonText(parseExactJson(exact))).toBe(
          `{"large":${large},"list":[${JSON.stringify(JSON.parse(text))}]}`,
        )
      }),
    )
  })
})
