import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BodyEdit } from './body-edit.ts'
import { decodeUtf8, type JsonLimits, parseJsonText } from './json.ts'
import { type PartSizes, parseInParts } from './parse-in-parts.ts'
import { ReceivedBody } from './received-text.ts'
import { spliceJson } from './splice-json.ts'
import { spliceJsonBody } from './splice-json-body.ts'

const limits: JsonLimits = { maxDepth: 64, maxElements: 100_000, maxMembers: 10_000 }
/** So small that parts end everywhere. */
const tiny: PartSizes = { minBytes: 40, partBytes: 24, headBytes: 12 }

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns what parsing the whole text returns, or the code and message of its error. */
function whole(bytes: Uint8Array, within = limits): unknown {
  try {
    return { value: parseJsonText(decodeUtf8(bytes), within) }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

function expectSame(bytes: Uint8Array, sizes?: PartSizes, within = limits): boolean {
  const parts = parseInParts(bytes, within, sizes)
  if (parts !== undefined) expect({ value: parts.value }).toEqual(whole(bytes, within))
  return parts !== undefined
}

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '}', ']', ',', '{', '\u00e9', '\ud83d\ude00', '\n'),
})
const item = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.constant(true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'role', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value
/** A conversation with members before and after it, with white space or without. */
const body = fc
  .record({
    before: fc.dictionary(fc.constantFrom('model', 'tools', 'x'), item, { maxKeys: 2 }),
    messages: fc.array(item, { minLength: 1, maxLength: 20 }),
    after: fc.dictionary(fc.constantFrom('system', 'stream', 'y'), item, { maxKeys: 2 }),
    indent: fc.constantFrom(undefined, 1),
  })
  .map(({ before, messages, after, indent }) =>
    JSON.stringify({ ...before, messages, ...after }, null, indent),
  )

const long = (unit: string) => {
  const messages = Array.from({ length: 300 }, (_, at) => ({
    role: 'user',
    content: `${at} ${unit.repeat(500)}`,
  }))
  return { model: 'm', messages, stream: true }
}

describe('parseInParts', () => {
  it('returns what parsing the whole body returns, wherever parts end', () => {
    let inParts = 0
    fc.assert(
      fc.property(body, text => {
        if (expectSame(encode(text), tiny)) inParts++
      }),
      { numRuns: 2_000 },
    )
    expect(inParts).toBeGreaterThan(500)
  })

  it('accepts no bytes that parsing the whole body refuses', () => {
    const change = fc.record({ at: fc.nat(), to: fc.constantFrom(...encode('"\\{}[],: a0\n'), 0xef, 0xc3) })
    fc.assert(
      fc.property(body, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        const bytes = encode(text)
        for (const { at, to } of changes) bytes[at % bytes.length] = to
        expectSame(bytes, tiny)
      }),
      { numRuns: 3_000 },
    )
  })

  it.each(['a', '\u00e9', '\u65e5', '\ud83d\ude00', '"\\', '},{'])(
    'parses a long conversation in parts: %j',
    unit => {
      expect(expectSame(encode(JSON.stringify(long(unit))))).toBe(true)
      expect(expectSame(encode(JSON.stringify(long(unit), null, 2)))).toBe(true)
    },
  )

  it('parses the messages in parts though long tools precede them, and one message is an image', () => {
    const tools = Array.from({ length: 80 }, (_, at) => ({ name: `t${at}`, description: 'x'.repeat(500) }))
    const messages = [...long('a').messages, { role: 'user', content: 'A'.repeat(300_000) }, { role: 'user' }]
    expect(expectSame(encode(JSON.stringify({ tools, ...long('a') })))).toBe(true)
    expect(expectSame(encode(JSON.stringify({ messages })))).toBe(true)
  })

  it.each([
    ['a key twice in an item', text => text.replace('"150 ', '1","role":"twice 150 ')],
    ['a key twice around the items', text => text.replace('"stream"', '"model"')],
    ['a number out of range', text => text.replace('"150 ', '9007199254740993,"content2":"150 ')],
    ['an unpaired surrogate', text => text.replace('"150 ', '"\\ud800 150 ')],
    [
      'too deep a value',
      text => text.replace('"150 ', `${'['.repeat(62)}${']'.repeat(62)},"content2":"150 `),
    ],
    ['a byte order mark', text => `\ufeff${text}`],
    ['a byte order mark between items', text => text.replace('},{', '},\ufeff{')],
    ['an item that does not end', text => text.slice(0, -200)],
    ['a comma too many', text => text.replace('},{', '},,{')],
  ] satisfies readonly [string, (text: string) => string][])('leaves %s to the whole', (_name, change) => {
    expect(parseInParts(encode(change(JSON.stringify(long('a')))), limits)).toBeUndefined()
  })

  it.each([299, 300 * 3 + 3, 300 * 3 + 5])('counts elements as the whole does: %i', maxElements => {
    const bytes = encode(JSON.stringify(long('a')))
    expectSame(bytes, undefined, { ...limits, maxElements })
    const isEnough = maxElements >= 300 * 3 + 4
    expect(parseInParts(bytes, { ...limits, maxElements }) !== undefined).toBe(isEnough)
  })

  it('sends the received bytes with edits between them, wherever parts end', () => {
    const edits: fc.Arbitrary<readonly BodyEdit[]> = fc.subarray([
      { path: ['model'], value: 'other' },
      { path: ['stream'], value: undefined },
      { path: ['system'], value: '\u20ac' },
      { path: ['added'], value: { at: 'the end' } },
      { path: ['messages', 0], value: 'first' },
      { path: ['messages'], value: [] },
    ])
    fc.assert(
      fc.property(body, edits, (text, chosen) => {
        const bytes = encode(text)
        const parts = parseInParts(bytes, limits, tiny)
        if (parts === undefined) return
        const received = new ReceivedBody(
          [bytes.subarray(0, 30), bytes.subarray(30)],
          bytes.length,
          parts.frame,
        )
        const sent = Buffer.concat(spliceJsonBody({ text, received }, chosen) as Uint8Array[])
        expect(sent.toString()).toBe(spliceJson(text, chosen))
      }),
      { numRuns: 1_000 },
    )
  })
})
