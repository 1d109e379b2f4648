import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors/errors.ts'
import { parseJson } from './json.ts'

const limits = { maxDepth: 64, maxElements: 100_000, maxMembers: 10_000 }
const encode = (text: string) => new TextEncoder().encode(text)
const parse = (text: string, bounds = limits) => parseJson(encode(text), bounds)

function errorFrom(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    const numbers = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    const value = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }),
        fc.constantFrom('"', '\\', '\\"', '\\\\', '{"a":1,"a":2}', '__proto__', '\u2028', '😀'),
        numbers,
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 6 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a"b', 'é')), tie('value'), {
          maxKeys: 30,
        }),
      ),
    })).value
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), (generated, space) => {
        // A decimal of 1e16 to 1e21 is written as a whole number, which is refused for its size.
        const text = JSON.stringify(generated, undefined, space)
        fc.pre(!/(?<![\d.eE"+-])-?\d{16,}/.test(text))
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it('throws nothing but GatewayError, whatever the bytes', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      'a',
      '1',
      '-',
      'e',
      '.',
      'true',
      ' ',
      '\\u',
      'd800',
      '\u0001',
    )
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(pieces, { maxLength: 40 }).map(parts => encode(parts.join(''))),
    )
    fc.assert(
      fc.property(bytes, input => {
        let expected: unknown
        try {
          expected = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(input))
        } catch {
          expect(errorFrom(() => parseJson(input, limits)).status).toBe(400)
          return
        }
        try {
          expect(parseJson(input, limits)).toEqual(expected)
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    '',
    '{',
    '{"a":1',
    '{"a" 1}',
    '{"a":1,}',
    '[1 2]',
    'nul',
    "{'a':1}",
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '"',
    '\\',
    '{"\\u12":1}',
    '1 1',
    ']',
    '[}',
    '{"a":01}',
    'NaN',
    '{"a":+1}',
    '// x',
  ])('C42 refuses %j as no JSON', text => {
    const error = errorFrom(() => parse(text))
    expect(error).toMatchObject({ reason: 'invalid_json', status: 400, code: null, param: null })
    expect(error.message).toMatch(/^We could not parse the JSON body of your request\./)
    expect(error.cause).toBeUndefined()
  })

  it('F16 takes a byte order mark, and refuses bytes that are no UTF-8', () => {
    expect(parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d), limits)).toEqual({})
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xff, 0xfe, 0x7b, 0, 0x7d, 0],
      [0x22, 0xc3, 0x22],
    ]) {
      expect(errorFrom(() => parseJson(Uint8Array.from(bytes), limits)).reason).toBe('invalid_json')
    }
  })

  it('F16 refuses half a surrogate pair, in values and in keys', () => {
    expect(parse('{"a":"\\ud83d\\ude00 \\\\ud800"}')).toEqual({ a: '😀 \\ud800' })
    expect(errorFrom(() => parse('{"a":["x","\\ud800"]}'))).toMatchObject({
      reason: 'invalid_request',
      param: 'a[1]',
    })
    expect(errorFrom(() => parse('{"a":"\\uDE00\\uD83D"}')).param).toBe('a')
    expect(errorFrom(() => parse('{"a":{"\\ud800":1}}')).param).toBe('a')
  })

  it.each([
    ['one long value', `"${'\\n\\u00e9 '.repeat(9_000)}"`],
    ['many values', `[${'"\\n\\u00e9",'.repeat(9_000)}0]`],
  ])('refuses the same of a long text as of a short one: %s', (_, filler) => {
    const faults = [
      '"\\ud800"',
      '{"\\udc00":1}',
      '{"a":1,"a":"\\ud800"}',
      '["\\ud800",{"a":1,"a":2}]',
      '["\\ud800",12345678901234567890]',
      '["\\ud800" x]',
      '[1 2]',
      '"open',
      '"\\x"',
      '1e999',
      `${'['.repeat(70)}${']'.repeat(70)}`,
    ]
    for (const fault of faults) {
      const [short, long] = ['""', filler].map(value =>
        errorFrom(() => parse(`{"m":${value},"b":[${fault}]}`)),
      )
      expect({ ...long, message: long?.message }).toEqual({ ...short, message: short?.message })
    }
    const valid = `{"m":${filler},"b":"\\ud83d\\ude00 \\\\ud800"}`
    expect(parse(valid)).toEqual(JSON.parse(valid))
  })

  it('F17 refuses nesting beyond the limit, however deep', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(() => parse(nested(64))).not.toThrow()
    const error = errorFrom(() => parse(`{"tools":${nested(64)}}`))
    expect(error).toMatchObject({ reason: 'invalid_request', param: 'tools' })
    expect(error.message).toBe('Invalid JSON: nested too deep. Expected at most 64 levels, but got more.')
    expect(errorFrom(() => parse('{"a":'.repeat(1_000_000))).status).toBe(400)
  })

  it('F21 counts the members of each object, and stops at the limit', () => {
    const bounds = { maxDepth: 64, maxElements: 1_000, maxMembers: 20 }
    const pairs = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join()}}`
    expect(Object.keys(parse(`{"a":${pairs(20)},"b":${pairs(20)}}`, bounds) as object)).toEqual(['a', 'b'])
    const error = errorFrom(() => parse(`{"a":[${pairs(21)}]}`, bounds))
    expect(error).toMatchObject({ reason: 'object_above_max_properties', param: 'a[0]' })
    expect(error.message).toBe(
      "Invalid 'a[0]': too many properties. Expected an object with at most 20 properties, but got more.",
    )
    expect(errorFrom(() => parse(pairs(21), bounds))).toMatchObject({ param: null })
    expect(errorFrom(() => parse('{"a":0,"b":0}', { ...bounds, maxMembers: 1 })).param).toBeNull()
  })

  it('F21 counts every value, and stops at the limit', () => {
    const bounds = { maxDepth: 64, maxElements: 5, maxMembers: 10 }
    expect(parse('{"a":[1,"x",null]}', bounds)).toEqual({ a: [1, 'x', null] })
    expect(errorFrom(() => parse('{"a":[1,"x",null,{}]}', bounds)).message).toBe(
      'Invalid JSON: too many values. Expected at most 5, but got more.',
    )
    for (const text of [
      `[${'0,'.repeat(1_000_000)}0]`,
      `[${'{"role":"user","content":""},'.repeat(200_000)}{}]`,
    ]) {
      const bytes = encode(text)
      const start = performance.now()
      expect(errorFrom(() => parseJson(bytes, limits)).reason).toBe('invalid_request')
      expect(performance.now() - start).toBeLessThan(10_000)
    }
  })

  it.each([
    ['{"model":"a","model":"b"}', 'model'],
    ['{"model":"a","mod\\u0065l":"b"}', 'model'],
    ['{"m":[{"role":"a"},{"role":"a","content":"{}","role":"b"}]}', 'm[1].role'],
    ['{"a":{"":1,"":2}}', 'a.'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    [`{${Array.from({ length: 50 }, (_, i) => `"k${i}":0`).join()},"k3":1}`, 'k3'],
    ['{"a":{"b":1},"c":[],"a":2}', 'a'],
  ])('F18 refuses a key that is given twice: %s', (text, param) => {
    expect(errorFrom(() => parse(text))).toMatchObject({ reason: 'invalid_request', param })
  })

  it('F18 takes the same key in different objects', () => {
    const text = '{"a":{"a":{"a":1},"b":1},"b":[{"a":1},{"a":1}]}'
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('F18 tells keys apart of which the same number is made, and goes on after an object of many', () => {
    const many = Array.from({ length: 40 }, (_, i) => `"k${i}":{"k${i}":[{"k0":0}]}`).join()
    const text = `{"AaAa":1,"BBBB":2,"AaBB":{"Aa":1,"B\\u0042":2},"m":{${many}},"BBAa":{"m":3}}`
    expect(parse(text)).toEqual(JSON.parse(text))
    expect(errorFrom(() => parse(`${text.slice(0, -1)},"BBBB":0}`)).param).toBe('BBBB')
    expect(errorFrom(() => parse(text.replace('"Aa":1', '"BB":1'))).param).toBe('AaBB.BB')
  })

  it('F18 refuses any generated object that is made to hold a key twice', () => {
    const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), {
      minLength: 1,
      maxLength: 40,
      selector: ([key]) => key,
    })
    fc.assert(
      fc.property(entries, fc.nat(), (pairs, pick) => {
        const members = pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
        members.push(`${JSON.stringify(pairs[pick % pairs.length]![0])}:0`)
        expect(errorFrom(() => parse(`{"x":{${members.join()}}}`)).status).toBe(400)
      }),
    )
  })

  it('F19 keeps __proto__ as data', () => {
    const value = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}') as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it.each([
    [
      '{"temperature":1e400}',
      'decimal_above_max_value',
      'temperature',
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 1.7976931348623157e+308, but got 1e400 instead.",
    ],
    ['{"a":[0,-1.5E999]}', 'decimal_below_min_value', 'a[1]', undefined],
    [
      '{"seed":9007199254740993}',
      'integer_above_max_value',
      'seed',
      "Invalid 'seed': integer above maximum value. Expected a value <= 9007199254740991, but got 9007199254740993 instead.",
    ],
    ['{"seed":-9007199254740992}', 'integer_below_min_value', 'seed', undefined],
    [`{"n":1${'0'.repeat(5000)}}`, 'integer_above_max_value', 'n', undefined],
    [
      `{"n":0.${'1'.repeat(5000)}}`,
      'invalid_request',
      'n',
      "Invalid 'n': number too long. Expected a number with maximum length 100, but got a number with length 5002 instead.",
    ],
    ['1e400', 'decimal_above_max_value', null, undefined],
  ])('F20 refuses a number that no double holds: %s', (text, reason, param, message) => {
    const error = errorFrom(() => parse(text))
    expect(error).toMatchObject({ reason, param })
    if (message !== undefined) expect(error.message).toBe(message)
    expect(error.message.length).toBeLessThan(300)
  })

  it('F20 takes the largest numbers that it can keep', () => {
    const text =
      '[9007199254740991,-9007199254740991,1.7976931348623157e308,1E+2,-0.5e-3,0.1234567890123456789]'
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('keeps the path of an error short', () => {
    const error = errorFrom(() => parse(`{"${'k'.repeat(100_000)}":{"b":1,"b":2}}`))
    expect(error.param).toBe('kkk...kkk.b')
    const deep = `${'{"kkkkkkkkkkkkkkkkkkkk":'.repeat(60)}1e999`
    expect(errorFrom(() => parse(deep)).param!.length).toBeLessThan(300)
  })

  it('is linear in hostile strings', () => {
    const texts = [
      `{"a":"${'\\"'.repeat(2_000_000)}"}`,
      `{"a":"${'\\\\'.repeat(2_000_000)}"}`,
      `{${Array.from({ length: 90_000 }, (_, i) => `"${i}":0`).join()}}`,
    ]
    for (const text of texts) {
      const start = performance.now()
      parse(text, { ...limits, maxMembers: 90_000 })
      expect(performance.now() - start).toBeLessThan(10_000)
    }
  })
})
