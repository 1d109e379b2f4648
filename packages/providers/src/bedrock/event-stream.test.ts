import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type SseEvent, UpstreamError } from '@sluice/core/provider'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { decodeEventStream } from './event-stream.ts'

/** Headers as the reference codec takes them. */
type Headers = Record<string, { readonly type: string; readonly value: unknown }>

/** What the reference codec is asked: to write a message, or to read the messages of a stream. */
type Question = { readonly headers: Headers; readonly body: string } | { readonly stream: Uint8Array }

/** Amazon's own codec. In a process of its own: under the conditions of tests it cannot be loaded. */
const reference = spawn(
  process.execPath,
  [
    '-e',
    `
    const { EventStreamCodec, Int64 } = require('@smithy/eventstream-codec')
    const codec = new EventStreamCodec(bytes => new TextDecoder().decode(bytes), text => new TextEncoder().encode(text))
    process.on('message', ({ headers, body, stream }) => {
      if (stream !== undefined) {
        const events = []
        for (let at = 0; at < stream.length; ) {
          const length = new DataView(stream.buffer, stream.byteOffset + at).getUint32(0)
          const { headers, body } = codec.decode(stream.subarray(at, at + length))
          events.push({ event: headers[':event-type'].value, data: new TextDecoder().decode(body) })
          at += length
        }
        return process.send(events)
      }
      for (const header of Object.values(headers)) {
        if (header.type === 'long') header.value = Int64.fromNumber(header.value)
      }
      process.send(codec.encode({ headers, body: new TextEncoder().encode(body) }))
    })
    `,
  ],
  {
    cwd: import.meta.dirname,
    env: {},
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  },
)
const waiting: ((answer: unknown) => void)[] = []
reference.on('message', answer => waiting.shift()?.(answer))
afterAll(() => void reference.disconnect())

function ask(question: Question): Promise<unknown> {
  return new Promise((answered, failed) => {
    waiting.push(answered)
    reference.send(question, error => error && failed(error))
  })
}

const text = (value: string) => ({ type: 'string', value })

async function frame(headers: Headers, body = ''): Promise<Uint8Array> {
  return (await ask({ headers, body })) as Uint8Array
}

function eventFrame(name: string, payload: string, further: Headers = {}): Promise<Uint8Array> {
  return frame(
    {
      ':event-type': text(name),
      ...further,
      ':content-type': text('application/json'),
      ':message-type': text('event'),
    },
    payload,
  )
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

/** Cuts at the given places, wherever they fall. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const parts: Uint8Array[] = []
  let start = 0
  for (const end of [...ends, bytes.length]) {
    parts.push(bytes.slice(start, end))
    start = end
  }
  return parts
}

async function read(reads: Iterable<Uint8Array>): Promise<{ events: SseEvent[]; failure?: UpstreamError }> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* reads
  }
  const events: SseEvent[] = []
  try {
    for await (const batch of decodeEventStream(body())) {
      expect(batch.length).toBeGreaterThan(0)
      events.push(...batch)
    }
  } catch (error) {
    if (!UpstreamError.is(error)) throw error
    return { events, failure: error }
  }
  return { events }
}

/** Headers of every type there is, none of which the decoder needs. */
const anyHeader = fc.oneof(
  fc.boolean().map(value => ({ type: 'boolean', value })),
  fc.integer({ min: -128, max: 127 }).map(value => ({ type: 'byte', value })),
  fc.integer({ min: -32_768, max: 32_767 }).map(value => ({ type: 'short', value })),
  fc.integer().map(value => ({ type: 'integer', value })),
  fc.maxSafeInteger().map(value => ({ type: 'long', value })),
  fc.uint8Array({ maxLength: 40 }).map(value => ({ type: 'binary', value })),
  fc.string({ maxLength: 40 }).map(text),
  fc.date({ noInvalidDate: true, min: new Date(0) }).map(value => ({ type: 'timestamp', value })),
  fc.uuid().map(value => ({ type: 'uuid', value })),
)
const headerName = fc.stringMatching(/^[a-z][a-z-]{0,20}$/)
const messages = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-zA-Z]{1,30}$/),
    payload: fc.string({ unit: 'binary', maxLength: 300 }).map(value => JSON.stringify({ value })),
    further: fc.dictionary(headerName, anyHeader, { maxKeys: 4 }),
  }),
  { maxLength: 6 },
)

describe('decodeEventStream', () => {
  it('reads what the reference encoder wrote, wherever the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(messages, fc.array(fc.nat(), { maxLength: 12 }), async (sent, places) => {
        const frames = sent.map(({ name, payload, further }) => eventFrame(name, payload, further))
        const bytes = joined(await Promise.all(frames))
        const { events, failure } = await read(cut(bytes, places))
        expect(failure).toBeUndefined()
        expect(events).toEqual(sent.map(({ name, payload }) => ({ event: name, data: payload })))
      }),
    )
  })

  it('finds every single byte that is not as it was sent, and delivers what came before', async () => {
    const frames = [
      await eventFrame('one', '{"a":1}'),
      await eventFrame('two', '{"b":"text"}'),
      await eventFrame('three', '{}'),
    ]
    const sound = joined(frames)
    const [one] = frames
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: sound.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (place, flip, places) => {
          const bytes = sound.slice()
          bytes[place]! ^= flip
          const { events, failure } = await read(cut(bytes, places))
          expect(failure?.kind).toBe('garbled')
          expect(events.length).toBe(
            place < one!.length ? 0 : place < one!.length + frames[1]!.length ? 1 : 2,
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('tells an end within a frame from one between frames', async () => {
    const one = await eventFrame('one', '{"a":1}')
    const bytes = joined([one, await eventFrame('two', '{}')])
    for (let length = 0; length <= bytes.length; length++) {
      const { events, failure } = await read([bytes.slice(0, length)])
      const whole = length === 0 || length === one.length || length === bytes.length
      expect([length, failure?.kind]).toEqual([length, whole ? undefined : 'truncated'])
      expect(events.length).toBe(length < one.length ? 0 : length < bytes.length ? 1 : 2)
    }
  })

  it('names exceptions and errors, and tells them also where they say nothing', async () => {
    const exception = (payload: string) =>
      frame({ ':message-type': text('exception'), ':exception-type': text('throttlingException') }, payload)
    const error = await frame({
      ':message-type': text('error'),
      ':error-code': text('InternalError'),
      ':error-message': text('Oh "no".'),
    })
    const { events } = await read([
      await exception('{"message":"slow"}'),
      await exception(''),
      await exception('slow'),
      error,
    ])
    expect(events).toEqual([
      { event: 'exception:throttlingException', data: '{"message":"slow"}' },
      { event: 'exception:throttlingException', data: '{"message":""}' },
      { event: 'exception:throttlingException', data: '{"message":"slow"}' },
      { event: 'error:InternalError', data: '{"message":"Oh \\"no\\"."}' },
    ])
  })

  it('leaves out messages of a kind that it does not know', async () => {
    const { events } = await read([
      await frame({ ':message-type': text('news') }, 'no JSON'),
      await frame({}),
      await eventFrame('a', '{}'),
    ])
    expect(events).toEqual([{ event: 'a', data: '{}' }])
  })

  it('takes a large frame in many reads, and refuses one that is too large as soon as it begins', async () => {
    const payload = JSON.stringify({ text: 'x'.repeat(300_000) })
    const bytes = await eventFrame('large', payload)
    const reads = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, at) =>
      bytes.subarray(at * 1_000, (at + 1) * 1_000),
    )
    expect((await read(reads)).events).toEqual([{ event: 'large', data: payload }])
    for (const [total, headers] of [
      [0x7fff_ffff, 100],
      [20_000_000, 100],
      [15, 0],
      [200, 185],
      [400_000, 300_000],
    ] as const) {
      expect((await read([prelude(total, headers)])).failure?.kind).toBe('garbled')
    }
    expect((await read([prelude(16_000_000, 100)])).failure?.kind).toBe('truncated')
  })

  it.each([
    ['an unknown type', [1, 97, 10]],
    ['an unknown type, and what may be a length behind it', [1, 97, 10, 0, 0]],
    ['no type', [1, 97]],
    ['a value beyond the end', [1, 97, 7, 0, 9, 120]],
    ['half a length', [1, 97, 7, 255]],
    ['a name beyond the end', [200, 97]],
  ])('refuses headers with %s', async (_, block) => {
    const { failure } = await read([framed(Uint8Array.from(block))])
    expect(failure?.kind).toBe('garbled')
  })

  it('gives the body back when its reader leaves', async () => {
    let returned = false
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield await eventFrame('one', '{}')
        yield await eventFrame('two', '{}')
      } finally {
        returned = true
      }
    }
    for await (const _ of decodeEventStream(body())) break
    expect(returned).toBe(true)
  })
})

function prelude(total: number, headers: number): Uint8Array {
  const bytes = new Uint8Array(12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, total)
  view.setUint32(4, headers)
  view.setUint32(8, referenceCrc(bytes.subarray(0, 8)))
  return bytes
}

function framed(headers: Uint8Array): Uint8Array {
  const total = 16 + headers.length
  const bytes = new Uint8Array(total)
  bytes.set(prelude(total, headers.length))
  bytes.set(headers, 12)
  new DataView(bytes.buffer).setUint32(total - 4, referenceCrc(bytes.subarray(0, total - 4)))
  return bytes
}

/** Bit by bit, as the standard defines it. */
function referenceCrc(bytes: Uint8Array): number {
  let value = 0xffff_ffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb8_8320 : 0)
  }
  return (value ^ 0xffff_ffff) >>> 0
}

const root = resolve(import.meta.dirname, '../../../../../shared/fixtures/bedrock')
const present = existsSync(root)

describe.skipIf(!present)('recorded event streams', () => {
  const names = present ? readdirSync(root).filter(name => name.endsWith('.eventstream.bin')) : []

  it.each(names)('%s: every frame, whole and byte by byte, as the reference decoder reads it', async name => {
    const bytes = new Uint8Array(readFileSync(resolve(root, name)))
    const expected = (await ask({ stream: bytes })) as SseEvent[]
    expect(expected.length).toBeGreaterThan(3)
    expect(await read([bytes])).toEqual({ events: expected })
    expect(await read(Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual({ events: expected })
  })
})
