import { describe, expect, it } from 'vitest'
import { behindParsers } from './harness/parsers.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** A body whose user says what stands between the quotes, byte for byte. */
function saying(text: Uint8Array | string): Uint8Array {
  const [before, after] = ['{"model":"m","messages":[{"role":"user","content":"', '"}]}']
  return Buffer.concat([Buffer.from(before), Buffer.from(text as string), Buffer.from(after)])
}

const bytes = (...values: number[]) => saying(Uint8Array.from(values))
const whole = saying('Hello!')

/** Bytes that are no UTF-8. */
const invalid: Readonly<Record<string, Uint8Array>> = {
  'a byte that never stands in UTF-8': bytes(0xff),
  'a continuation byte alone': bytes(0x80),
  'a sequence that is cut': bytes(0xe2, 0x82),
  'an overlong slash': bytes(0xc0, 0xaf),
  'an overlong NUL': bytes(0xc0, 0x80),
  'half a surrogate pair as bytes': bytes(0xed, 0xa0, 0x80),
  'a surrogate pair as bytes (CESU-8)': bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80),
  'a code point beyond Unicode': bytes(0xf4, 0x90, 0x80, 0x80),
  'UTF-16, little end first': Buffer.concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from(Buffer.from(whole).toString(), 'utf16le'),
  ]),
  'UTF-16, big end first': Buffer.concat([
    Buffer.from([0xfe, 0xff]),
    Buffer.from(Buffer.from(whole).toString(), 'utf16le').swap16(),
  ]),
  'UTF-16 without a mark': Buffer.from(Buffer.from(whole).toString(), 'utf16le'),
  'two byte order marks': Buffer.concat([Buffer.from('\ufeff\ufeff'), whole]),
}

/** Half surrogate pairs in escapes. */
const halves = [
  '\\ud800',
  '\\uDBFF',
  '\\udc00',
  'a\\udfffb',
  '\\ude00\\ud83d',
  '\\ud83d\\ud83d\\ude00',
  '\\ud83d \\ude00',
]

describe('F16 a body that is no UTF-8, or holds half a surrogate pair', () => {
  overServers(mount => {
    it.each(Object.entries(invalid))('is a 400: %s', async (_, body) => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      expectRefusal(await site.chat({}, { body }), 400, { code: null, message: /could not parse/ })
      expect(upstream.requests).toHaveLength(0)
    })

    it('is a 400 for every half of a pair, each time and wherever it stands', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const half of halves) {
        for (let i = 0; i < 2; i++) {
          const answer = await site.chat({}, { body: saying(half) })
          expectRefusal(answer, 400, { message: /half of a surrogate pair/, param: 'messages[0].content' })
        }
      }
      for (const field of [`"user":"\\ud800"`, `"metadata":{"\\udc00":"x"}`, `"stop":["a","\\ud800"]`]) {
        const body = Buffer.from(whole).toString().replace('{', `{${field},`)
        expectRefusal(await site.chat({}, { body }), 400, { message: /half of a surrogate pair/ })
      }
      expect(upstream.requests).toHaveLength(0)
    })

    it('is taken with one byte order mark, and comes to the upstream as it was meant', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const texts = ['\ufeffgr\u00fc\u00df', '\ud83d\ude00', '\u0000\u2028\u2029', '\ufffd', '\\', '\ufeff']
      for (const text of texts) {
        const escaped = JSON.stringify(text).slice(1, -1)
        const units = [...Array(text.length).keys()]
          .map(at => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join('')
        for (const spelling of [escaped, units]) {
          for (const mark of ['', '\ufeff']) {
            const body = Buffer.concat([Buffer.from(mark), saying(spelling)])
            expect((await site.chat({}, { body })).status).toBe(200)
          }
        }
      }
      const got = upstream.requests.map(({ json }) => json?.messages)
      expect(got).toEqual(texts.flatMap(content => Array(4).fill([{ role: 'user', content }])))
      for (let at = 0; at < upstream.requests.length; at += 4) {
        const bodies = new Set(upstream.requests.slice(at, at + 4).map(({ body }) => body))
        expect(bodies.size).toBe(1)
      }
    })
  })

  behindParsers(mount => {
    it('is a 400 for half a pair also where the host has parsed it', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const half of halves) {
        const answer = await site.chat({}, { body: saying(half) })
        expectRefusal(answer, 400, { message: /half of a surrogate pair/, param: 'messages[0].content' })
      }
      expect(upstream.requests).toHaveLength(0)
    })
  })
})
