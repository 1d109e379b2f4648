import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors/upstream-error.ts'
import { decodeSse, type SseDecodeOptions, type SseEvent, Utf8Reads } from './sse.ts'

const encoder = new TextEncoder()

async function* reads(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts
}

async function decode(parts: Iterable<Uint8Array>, options?: SseDecodeOptions): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  for await (const batch of decodeSse(reads(parts), options)) events.push(...batch)
  return events
}

function whole(text: string | Uint8Array): Promise<SseEvent[]> {
  return decode([typeof text === 'string' ? encoder.encode(text) : text])
}

function message(data: string): SseEvent {
  return { event: 'message', data }
}

/** A seeded generator of whole numbers below `n` (mulberry32). */
function seeded(seed: number): (n: number) => number {
  let state = seed
  return n => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}

function split(bytes: Uint8Array, random: (n: number) => number): Uint8Array[] {
  const longest = 1 + random(random(4) === 0 ? 3 : 40)
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const next = Math.min(bytes.length, at + (random(20) === 0 ? 0 : 1 + random(longest)))
    parts.push(bytes.subarray(at, next))
    at = next
  }
  return parts
}

describe('decodeSse', () => {
  const cases: [name: string, text: string, events: SseEvent[]][] = [
    ['the usual form', 'data: {"a":1}\n\ndata: [DONE]\n\n', [message('{"a":1}'), message('[DONE]')]],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['lone CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['mixed line ends', 'data: a\r\n\ndata: b\n\rdata: c\r\n\r', [message('a'), message('b'), message('c')]],
    ['a leading BOM', '\uFEFFdata: a\n\n', [message('a')]],
    ['a BOM elsewhere, which is text', 'data: \uFEFFa\n\n\uFEFFdata: b\n\n', [message('\uFEFFa')]],
    ['comments', ': ping - 1\n\n:\n\ndata: a\n: in between\ndata: b\n\n', [message('a\nb')]],
    ['several data lines', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
    ['no space after the colon', 'data:a\n\n', [message('a')]],
    ['only one space is taken', 'data:  a \n\n', [message(' a ')]],
    ['a colon in the value', 'data: a: b:c\n\n', [message('a: b:c')]],
    ['data without a colon', 'data\n\n', [message('')]],
    ['empty data', 'data:\n\ndata: \n\n', [message(''), message('')]],
    ['a named event', 'event: error\ndata: a\n\ndata: b\n\n', [{ event: 'error', data: 'a' }, message('b')]],
    ['the last name counts', 'event:a\nevent:b\ndata: x\n\n', [{ event: 'b', data: 'x' }]],
    ['an emptied name', 'event: a\nevent\ndata: x\n\n', [message('x')]],
    ['a name without data is dropped', 'event: ping\n\ndata: x\n\n', [message('x')]],
    [
      'id, retry and unknown fields',
      'id: 7\nretry: 10\nfoo: bar\ndataset: z\neventful: z\ndata: x\n\n',
      [message('x')],
    ],
    ['field names are case-sensitive', 'Data: x\n\nDATA: y\n\n', []],
    ['no final blank line', 'data: a\n\ndata: b\n', [message('a'), message('b')]],
    ['no final line end', 'data: a\n\ndata: b', [message('a'), message('b')]],
    ['an event name with no data at the end', 'data: a\n\nevent: x', [message('a')]],
    ['only blank lines', '\n\r\n\r\n\n', []],
    ['nothing', '', []],
    ['text beyond ASCII', 'data: é 😀 漢字\n\n', [message('é 😀 漢字')]],
  ]
  it.each(cases)('reads %s', async (_name, text, events) => {
    expect(await whole(text)).toEqual(events)
    const bytes = encoder.encode(text)
    expect(await decode(Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual(events)
  })

  it('replaces invalid UTF-8, also where the body ends inside a character', async () => {
    const bytes = Uint8Array.of(
      ...encoder.encode('data: a'),
      0xff,
      ...encoder.encode('b\n\ndata: '),
      0xf0,
      0x9f,
    )
    expect(await whole(bytes)).toEqual([message('a\uFFFDb'), message('\uFFFD')])
  })

  it('yields one array per read that completed events, and never an empty one', async () => {
    const batches: (readonly SseEvent[])[] = []
    const parts = ['data: a\n\ndata: b\n\nda', 'ta: c', '\n', '\ndata: d\n\n', ''].map(part =>
      encoder.encode(part),
    )
    for await (const batch of decodeSse(reads(parts))) batches.push(batch)
    expect(batches).toEqual([
      [message('a'), message('b')],
      [message('c'), message('d')],
    ])
  })

  it('delivers an event as soon as its blank line is there, for CR too', async () => {
    const seen: string[] = []
    async function* body() {
      yield encoder.encode('data: a\r\r')
      seen.push('asked again')
      yield encoder.encode('\ndata: b\r\r')
    }
    for await (const batch of decodeSse(body())) seen.push(...batch.map(event => event.data))
    expect(seen).toEqual(['a', 'asked again', 'b'])
  })

  it("returns the body's iterator when the consumer stops", async () => {
    let returned = false
    async function* body() {
      try {
        while (true) yield encoder.encode('data: a\n\n')
      } finally {
        returned = true
      }
    }
    for await (const _batch of decodeSse(body())) break
    expect(returned).toBe(true)
  })

  it("passes on the body's failure after the events before it", async () => {
    const failure = new Error('reset')
    async function* body() {
      yield encoder.encode('data: a\n\ndata: b')
      throw failure
    }
    const iterator = decodeSse(body())
    expect((await iterator.next()).value).toEqual([message('a')])
    await expect(iterator.next()).rejects.toBe(failure)
  })

  describe('the size of an event', () => {
    const options = { maxEventBytes: 20 }

    it.each([
      ['one line', `data: ${'x'.repeat(20)}`],
      ['one line that ends', `data: ${'x'.repeat(20)}\n\n`],
      ['many lines', 'data: xxxx\n'.repeat(5)],
      ['a comment', `:${'x'.repeat(20)}`],
      ['an unknown field', `foo:${'x'.repeat(20)}\n\n`],
    ])('refuses %s over the cap, after what came before it', async (_name, text) => {
      const bytes = encoder.encode(`data: ok\n\n${text}`)
      for (const parts of [[bytes], Array.from(bytes, byte => Uint8Array.of(byte))]) {
        const seen: SseEvent[] = []
        const failure = await (async () => {
          for await (const batch of decodeSse(reads(parts), options)) seen.push(...batch)
        })().catch((error: unknown) => error)
        expect(seen).toEqual([message('ok')])
        expect(UpstreamError.is(failure) && failure.kind).toBe('garbled')
      }
    })

    it('takes any number of events and comments under the cap', async () => {
      const bytes = encoder.encode(': ping\n'.repeat(50) + 'data: 12345678901234\n\n'.repeat(50))
      expect(await decode([bytes], options)).toHaveLength(50)
    })

    it('is 8 MiB unless told otherwise, and a body that never ends an event is refused there', async () => {
      const chunk = encoder.encode('x'.repeat(65_536))
      let asked = 0
      async function* body() {
        yield encoder.encode('data: ')
        while (true) {
          asked++
          yield chunk
        }
      }
      const failure = await decodeSse(body())
        .next()
        .catch((error: unknown) => error)
      expect(UpstreamError.is(failure) && failure.kind).toBe('garbled')
      expect(asked).toBe(128)
    })

    it('reads an event just under it that comes in small pieces, in linear time', async () => {
      const bytes = encoder.encode(`data: ${'x'.repeat(8_000_000)}\n\n`)
      const parts = Array.from({ length: Math.ceil(bytes.length / 64) }, (_, i) =>
        bytes.subarray(i * 64, i * 64 + 64),
      )
      const [event] = await decode(parts)
      expect(event?.data).toHaveLength(8_000_000)
    })
  })

  const fields = [
    'data:',
    'data: ',
    'data: ',
    'data',
    'event: ',
    'event:x',
    'id: 1',
    'retry: 5',
    ':',
    ': ping',
    '',
  ]
  const values = [
    '',
    'x',
    ' ',
    '\uFEFF',
    'é',
    '漢',
    '😀',
    '\u0000',
    '\u2028',
    '\u0085',
    '[DONE]',
    '{"a":"b: c"}',
  ]
  const ends = ['\n', '\n', '\r', '\r\n']

  // In the large: test/fuzz/sse.sampled.test.ts.
  it('gives the same events for random splits of hostile input', async () => {
    const random = seeded(20_260_711)
    const pick = (from: readonly string[]): string => from[random(from.length)]!
    let events = 0
    for (let round = 0; round < 100; round++) {
      let text = random(3) === 0 ? '\uFEFF' : ''
      for (let line = 0; line < 12; line++) {
        text += pick(fields) + pick(values) + pick(values) + pick(ends) + (random(2) === 0 ? pick(ends) : '')
      }
      let bytes = encoder.encode(text)
      if (round % 5 === 0) {
        bytes = bytes.slice(0, bytes.length - random(3))
        bytes[random(bytes.length)] = 0x80 + random(0x80)
      }
      const expected = await whole(bytes)
      events += expected.length
      const wanted = JSON.stringify(expected)
      for (let i = 0; i < 30; i++) {
        const actual = JSON.stringify(await decode(split(bytes, random)))
        if (actual !== wanted) expect(actual, `round ${round}, split ${i}`).toBe(wanted)
      }
    }
    expect(events).toBeGreaterThan(200)
  })

  it('delivers JSON that stands bare between events, where it is told to', async () => {
    const text = 'data: 1\n{"a": 0}\n\n{\n  "error": {}\n}\n\ndata: 2\n\n[3]'
    const given = (bareJson: boolean) => decode([encoder.encode(text)], { bareJson })
    expect(await given(true)).toEqual([
      message('1'),
      message('{\n  "error": {}\n}'),
      message('2'),
      message('[3]'),
    ])
    expect(await given(false)).toEqual([message('1'), message('2')])
    const endless = decode([encoder.encode(`{\n${'x\n'.repeat(100)}`)], { bareJson: true, maxEventBytes: 50 })
    await expect(endless).rejects.toMatchObject({ kind: 'garbled' })
  })

  it('agrees with eventsource-parser', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...fields, ...values, ...ends, ...ends, ...ends), { maxLength: 60 }),
        async parts => {
          // That parser wants the blank line at the end, and a second BOM is beyond its care.
          const text = `${parts.join('').replaceAll('\uFEFF', '')}\n\n`
          const expected: SseEvent[] = []
          const parser = createParser({
            onEvent: event => expected.push({ event: event.event || 'message', data: event.data }),
          })
          parser.feed(text)
          expect(await whole(text)).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })
})

const bytes = fc.oneof(
  fc.string({ unit: 'binary' }).map(text => new TextEncoder().encode(text)),
  fc
    .string({ unit: fc.constantFrom('a', '\n', 'é', '€', '😀', '\ufeff') })
    .map(text => new TextEncoder().encode(text)),
  fc.uint8Array(),
  fc
    .array(fc.constantFrom(0xef, 0xbb, 0xbf, 0x61, 0xe2, 0x82, 0xac, 0xf0, 0x0a))
    .map(list => Uint8Array.from(list)),
)

describe('Utf8Reads', () => {
  it('makes of any bytes, however they are cut, what one TextDecoder makes', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(5), { minLength: 1 }), (all, sizes) => {
        const one = new TextDecoder()
        const reads = new Utf8Reads()
        let at = 0
        for (let cut = 0; at < all.length; cut++) {
          // A size of 0 is an empty read; the rest comes as one.
          const size = cut < sizes.length ? sizes[cut]! : all.length
          const read = all.subarray(at, at + size)
          at += size
          expect(reads.decode(read)).toBe(one.decode(read, { stream: true }))
        }
        expect(reads.end()).toBe(one.decode())
      }),
      { numRuns: 2_000 },
    )
  })
})
