import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonBody } from './json-body.ts'

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
}

/** Texts of which so many make a request long, in letters of one to four bytes. */
const long = fc
  .tuple(fc.constantFrom('a', '"', '\n', '\u0001', 'é', '漢', '🙂'), fc.nat(40_000))
  .map(([letter, times]) => letter.repeat(times))
const part = fc.oneof(
  long.map(text => ({ type: 'text', text })),
  long.map(url => ({ type: 'image_url', image_url: { url } })),
  fc.constantFrom(null, 'x', 7),
)
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(long, fc.array(part, { maxLength: 3 })) }),
  fc.constantFrom(null, 7, 'x', { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }),
)
const members = fc.dictionary(
  fc.oneof(fc.constantFrom('model', 'temperature', 'n', 'tools', 'é"'), fc.string()),
  fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.constantFrom(undefined, null, true, [], { a: [1] })),
)

describe('jsonBody', () => {
  it('is what JSON.stringify makes of a request, whatever its length', () => {
    fc.assert(
      fc.property(members, members, fc.array(message, { maxLength: 6 }), (before, after, messages) => {
        const body = { ...before, messages, ...after }
        expect(textOf(jsonBody(body))).toBe(JSON.stringify(body))
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['many short messages', Array.from({ length: 32_000 }, () => ({ role: 'user', content: 'x' }))],
    ['many escapes', Array.from({ length: 8_000 }, () => ({ role: 'user', content: '\u0001'.repeat(60) }))],
  ])('takes no longer for %s than JSON.stringify needs many times over', (_, messages) => {
    // 65,536 characters, so that it is written into bytes.
    const body = { model: 'm', messages: [...messages, { role: 'user', content: 'y'.repeat(65_536) }] }
    jsonBody({ model: 'm', messages: messages.slice(0, 100) })
    const timed = (run: () => unknown) => {
      const { user } = process.cpuUsage()
      run()
      return process.cpuUsage().user - user
    }
    const stringified = Math.max(
      2_000,
      timed(() => JSON.stringify(body)),
    )
    const written = timed(() => expect(textOf(jsonBody(body)).length).toBeGreaterThan(1_000_000))
    expect(written).toBeLessThan(50 * stringified)
  })

  it('is text where a request is short, and bytes where it is long', () => {
    const of = (content: unknown) => jsonBody({ model: 'm', messages: [{ role: 'user', content }] })
    expect(of('x'.repeat(1_000))).toBeTypeOf('string')
    expect(of('x'.repeat(65_536))).toBeInstanceOf(Uint8Array)
    expect(of([{ type: 'image_url', image_url: { url: 'x'.repeat(65_536) } }])).toBeInstanceOf(Uint8Array)
    expect(jsonBody({ model: 'm' })).toBe('{"model":"m"}')
  })
})
