import { chunks, type Pace, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Each length of UTF-8, a joined emoji, combining marks, separators that are line ends elsewhere, control characters. */
const text = 'aß€😀👩‍👩‍👧é日本\u2028\u2029\u0085"\\"\t\r\n\0\u{10ffff}data: x end'
const list = chunks({ text })
const plain = sse(list)

/** Ways to write the same events. */
const spellings: Record<string, string> = {
  LF: plain.join(''),
  CRLF: sse(list, { eol: '\r\n' }).join(''),
  CR: sse(list, { eol: '\r' }).join(''),
  'each line end in turn': plain
    .map((event, at) => event.replaceAll('\n', ['\n', '\r\n', '\r'][at % 3] ?? '\n'))
    .join(''),
  'CRLF and LF within one event': plain.map(event => event.replace('\n\n', '\r\n\n')).join(''),
  'a byte order mark': `\ufeff${plain.join('')}`,
  'no space after the colon': plain.map(event => event.replace('data: ', 'data:')).join(''),
  'data over several lines': [...list.map(item => dataOf(JSON.stringify(item, null, 1))), plain.at(-1)].join(
    '',
  ),
  'comments before, between and within events': [
    ': hello\n\n:\n\n',
    ...plain.map(event => `: data: {"no":1}\n${event.replace('\n\n', '\n:x\n\n')}:\n\n\n`),
  ].join(''),
  'event, id and retry lines': plain
    .map((event, at) => `event: message\nid: ${at}\nretry: 1000\nevent: chunk\n${event}`)
    .join(''),
  'unknown fields, and fields without a colon': plain
    .map(event => `foo: bar\ndataset: {"no":1}\nid\nretry\nevent\n${event}`)
    .join(''),
  'events without data, and with empty data': plain
    .map(event => `event: ping\n\ndata\n\ndata:\n\ndata: \n\n${event}`)
    .join(''),
  'no blank line behind the last event': plain.join('').trimEnd(),
  'no line end and no [DONE] behind the last event': plain.slice(0, -1).join('').trimEnd(),
  'JSON with escapes for all that is not ASCII': sse(
    list.map(item => JSON.stringify(item).replace(/[^ -~]/g, escaped)),
  ).join(''),
}

const splits: readonly Pace[] = [
  { split: 'whole' },
  { split: 'bytes' },
  { split: { seed: 1, max: 3 } },
  { split: { seed: 2, max: 100 } },
]

describe('F49 events are spelled in every way that the standard allows, and cut anywhere', () => {
  overEveryServer(mount => {
    it.each(Object.entries(spellings))('is the same text: %s', async (_, spelling) => {
      const upstream = await upstreamDuring(...splits.map(pace => [steps.head(), steps.body(spelling, pace)]))
      const { site, ends } = await startService(mount, { models: { m: upstream } })
      for (const pace of splits) {
        const answered = await site.chat({ model: 'm', stream: true })
        // Strict: LF, one data line an event, no other fields.
        const transcript = await readSse(answered.bytes)
        expect(transcript.text, JSON.stringify(pace)).toBe(text)
        expect(transcript.done).toBe(true)
        expect(transcript.chunks.filter(({ error }) => error !== undefined)).toEqual([])
      }
      expect(ends.map(({ outcome }) => outcome)).toEqual(splits.map(() => 'completed'))
    })

    it('is the same text where each byte is a packet of its own', async () => {
      const upstream = await upstreamDuring([
        steps.head(),
        steps.body(sse(chunks({ text: '€ 😀' }), { eol: '\r\n' }).join(''), { split: 'bytes', delay: 1 }),
      ])
      const { site } = await startService(mount, { models: { m: upstream } })
      const { text, done } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect({ text, done }).toEqual({ text: '€ 😀', done: true })
    })

    it('is cut within a character at the end of the body: an error, and no character is made up', async () => {
      const bytes = Buffer.from(
        `${plain.slice(0, 4).join('')}data: {"choices":[{"index":0,"delta":{"content":"😀`,
      )
      for (let lost = 0; lost < 4; lost++) {
        const upstream = await upstreamDuring([
          steps.head(),
          steps.body(bytes.subarray(0, bytes.length - lost)),
        ])
        const { site } = await startService(mount, { models: { m: upstream } })
        const { chunks, done } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
        expect(done).toBe(false)
        expect(chunks.at(-1)).toMatchObject({ error: { code: 'bad_gateway' } })
        expect(JSON.stringify(chunks)).not.toContain('\ufffd')
      }
    })
  })
})

function dataOf(lines: string): string {
  return `${lines
    .split('\n')
    .map(line => `data: ${line}\n`)
    .join('')}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
