import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { checkParsed } from './check-parsed.ts'

const limits = { maxDepth: 64, maxElements: 1000, maxMembers: 100 }

function errorFrom(value: unknown, bounds = limits): GatewayError {
  try {
    checkParsed(value, bounds)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('checkParsed', () => {
  it('takes any JSON value, and tells the length of its text', () => {
    const value = fc.jsonValue()
    fc.assert(
      fc.property(value, generated => {
        // A decimal of the largest is not written as it was sent.
        const text = JSON.stringify(generated)
        fc.pre(!/\\ud|\d{16,}|-0/.test(text))
        const bounds = { maxDepth: 64, maxElements: 1e6, maxMembers: 1e6 }
        expect(checkParsed(generated, bounds)).toBe(Buffer.byteLength(text))
      }),
    )
  })

  it.each(['漢字', 'é', '🙂', '"\\', '\n\r\t\b\f', '\u0000\u0001\u001f', '\u007f'])(
    'tells the bytes of %j',
    text => {
      const bytes = Buffer.byteLength(JSON.stringify(text))
      expect(checkParsed(text, limits)).toBe(bytes)
      expect(checkParsed({ [text]: 0 }, limits)).toBe(bytes + 4)
    },
  )

  it('takes objects without a prototype, of another realm, and with members that are undefined', () => {
    expect(checkParsed(Object.assign(Object.create(null), { a: 1 }), limits)).toBe(7)
    expect(checkParsed(runInNewContext('({ a: [1, { b: "x" }] })'), limits)).toBe(19)
    expect(() => checkParsed({ a: undefined }, limits)).not.toThrow()
  })

  it('F21 counts the members of each object', () => {
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]))
    expect(() => checkParsed({ a: members(100) }, limits)).not.toThrow()
    expect(errorFrom({ a: [members(101)] })).toMatchObject({
      reason: 'object_above_max_properties',
      param: 'a[0]',
    })
  })

  it('F17 refuses nesting beyond the limit, and so a loop', () => {
    const loop: Record<string, unknown> = {}
    loop.a = { b: [loop] }
    expect(errorFrom(loop)).toMatchObject({ reason: 'invalid_request', param: 'a' })
    const nest = (depth: number) => {
      let value: unknown = 0
      for (let i = 0; i < depth; i++) value = [value]
      return value
    }
    expect(() => checkParsed(nest(64), limits)).not.toThrow()
    expect(errorFrom(nest(65)).message).toContain('nested too deep')
    expect(errorFrom(nest(100_000)).message).toContain('nested too deep')
  })

  it('F21 counts values, also those that are shared', () => {
    let value: unknown = 'x'
    for (let i = 0; i < 40; i++) value = [value, value]
    expect(errorFrom(value).message).toBe(
      'Invalid JSON: too many values. Expected at most 1000, but got more.',
    )
    expect(errorFrom(new Array(1e9)).status).toBe(400)
  })

  it.each([
    [{ a: Number.NaN }, 'a', 'invalid_request'],
    [{ a: [1, Number.POSITIVE_INFINITY] }, 'a[1]', 'decimal_above_max_value'],
    [{ seed: 2 ** 53 }, 'seed', 'integer_above_max_value'],
    [{ a: -(2 ** 60) }, 'a', 'integer_below_min_value'],
    [{ a: 10n }, 'a', 'invalid_request'],
    [{ a: () => 1 }, 'a', 'invalid_request'],
    [{ a: Symbol('x') }, 'a', 'invalid_request'],
    [{ a: { b: new Date(0) } }, 'a.b', 'invalid_request'],
    [{ a: new Map() }, 'a', 'invalid_request'],
    [{ a: new Uint8Array(2) }, 'a', 'invalid_request'],
    [{ a: [undefined] }, 'a[0]', 'invalid_request'],
    [{ a: '\ud800' }, 'a', 'invalid_request'],
    [{ a: [{ b: 1, '\ud800': 0 }] }, 'a[0]', 'invalid_request'],
    [{ '\udc00': 0 }, null, 'invalid_request'],
    [undefined, null, 'invalid_request'],
  ])('refuses what JSON cannot carry (%#)', (value, param, refusal) => {
    expect(errorFrom(value)).toMatchObject({ status: 400, reason: refusal, param })
  })

  it('takes numbers from 1e21 on, which are decimals as JSON writes them', () => {
    expect(() => checkParsed([1e21, -1.7976931348623157e308, 0.1], limits)).not.toThrow()
  })

  it('throws nothing but GatewayError', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withTypedArray: true,
          withNullPrototype: true,
          withSparseArray: true,
        }),
        value => {
          try {
            expect(checkParsed(value, limits)).toBeGreaterThan(0)
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError)
          }
        },
      ),
    )
  })
})
