import { createServer } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import type { HostBody } from '../contracts/host.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { defaultRequestLimits } from '../gateway/config.ts'
import { Lifetime } from '../http/lifetime.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { Uploads } from '../http/uploads.ts'
import { checkContentEncoding, checkContentType, read as readAtOnce, receive } from './read.ts'

const limits = defaultRequestLimits
const url = 'http://127.0.0.1/v1/chat/completions'
const good = { model: 'm', messages: [{ role: 'user', content: 'Grüße 😀' }] }
const encode = (text: string) => new TextEncoder().encode(text)
const goodBytes = encode(JSON.stringify(good))

function post(
  body: BodyInit | null,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  return new Request(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
}

async function errorFrom(reading: Promise<unknown>): Promise<GatewayError> {
  const error = await reading.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof GatewayError) return error
  throw error
}

/** A body in pieces that tells what became of it. */
function pieces(parts: readonly Uint8Array[], ending: 'end' | 'hang' | Error = 'end') {
  const seen = { read: 0, returned: false }
  const stream: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const value = parts[seen.read]
        if (value !== undefined) {
          seen.read++
          return { done: false, value }
        }
        if (ending === 'hang') return new Promise(() => {})
        if (ending !== 'end') throw ending
        return { done: true, value: undefined }
      },
      async return() {
        seen.returned = true
        throw new Error('a source that fails to stop')
      },
    }),
  }
  return { seen, body: { kind: 'stream', stream } satisfies HostBody }
}

const rejections: unknown[] = []
const record = (reason: unknown) => rejections.push(reason)
beforeEach(() => {
  rejections.length = 0
  process.on('unhandledRejection', record)
})
afterEach(async () => {
  vi.useRealTimers()
  await new Promise(resolve => setImmediate(resolve))
  process.off('unhandledRejection', record)
  expect(rejections).toEqual([])
})

/** Reads a body, and receives it where it has to be waited for. What throws at once rejects. */
const read = async (
  request: Request,
  body: HostBody | undefined,
  bounds: RequestLimits,
  uploads = new Uploads(),
) => {
  const lifetime = new Lifetime(request.signal)
  const sender = { key: ' ann', uploads, lifetime, random: Math.random, clock: systemClock }
  const draft =
    readAtOnce(request, body, bounds, chatDialect) ??
    (await receive(request, body, bounds, chatDialect, sender))
  lifetime.release()
  return draft
}

describe('read', () => {
  const sources: [string, () => [Request, HostBody | undefined]][] = [
    ['the body of the request', () => [post(goodBytes), undefined]],
    ['bytes', () => [post(null), { kind: 'bytes', bytes: goodBytes }]],
    ['a stream in one piece', () => [post(null), pieces([goodBytes]).body]],
    [
      'a stream byte by byte',
      () => [post(null), pieces(Array.from(goodBytes, byte => Uint8Array.of(byte))).body],
    ],
    [
      'a stream with empty pieces',
      () => [post(null), pieces([new Uint8Array(), goodBytes, new Uint8Array()]).body],
    ],
  ]
  it.each(sources)('reads %s', async (_, make) => {
    expect(await read(...make(), limits)).toEqual({
      dialect: 'chat',
      operation: 'generate',
      model: 'm',
      body: good,
      bytes: goodBytes.length,
      outline: expect.objectContaining({ stream: false, maxOutputTokens: undefined }),
    })
  })

  it('reads what the host has parsed', async () => {
    const draft = await read(post(null), { kind: 'parsed', value: good }, limits)
    expect(draft).toMatchObject({ model: 'm', body: good })
    expect(draft.bytes).toBe(goodBytes.length)
  })

  it('puts pieces together in their order, however they are cut, and whatever length was announced', async () => {
    const text = encode(JSON.stringify({ model: 'm', messages: 'äöü😀'.repeat(20_000) }))
    const cuts = fc.array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 20 })
    const lengths = fc.oneof(
      fc.constant(text.length),
      fc.nat(2 * text.length),
      fc.constantFrom('', 'x', '-1'),
    )
    await fc.assert(
      fc.asyncProperty(cuts, lengths, async (sizes, announced) => {
        const headers = { 'content-type': 'application/json', 'content-length': `${announced}` }
        const parts: Uint8Array[] = []
        let at = 0
        for (const size of sizes) {
          parts.push(text.subarray(at, at + size))
          at += size
        }
        parts.push(text.subarray(at))
        const draft = await read(post(null, headers), pieces(parts).body, limits)
        expect(draft.bytes).toBe(text.length)
        expect(draft.body.messages).toBe('äöü😀'.repeat(20_000))
      }),
      { numRuns: 40 },
    )
  })

  it('keeps bodies apart that come at the same time and one after the other, of any length', async () => {
    const encoder = new TextEncoder()
    const cut = (text: string) => {
      const bytes = encoder.encode(text)
      const size = Math.ceil(bytes.length / 7)
      return Array.from({ length: 7 }, (_, nth) => bytes.slice(nth * size, (nth + 1) * size))
    }
    for (let round = 0; round < 3; round++) {
      const sent = Array.from({ length: 12 }, (_, nth) => ({
        model: `m${round}.${nth}`,
        text: `${nth}`.repeat(((nth * 7_919 + round * 104_729) % 300_000) + 10),
      }))
      const drafts = sent.map(async (body, nth) => {
        const text = JSON.stringify(body)
        // Every fourth one is refused when all of it is there.
        const parts = cut(nth % 4 === 3 ? `${text}]` : text)
        return read(post(null), pieces(parts).body, limits).catch(() => undefined)
      })
      const expected = sent.map((body, nth) => (nth % 4 === 3 ? undefined : body))
      expect((await Promise.all(drafts)).map(draft => draft?.body)).toEqual(expected)
    }
  })

  describe('C80 size', () => {
    const small = { ...limits, maxBytes: 100 }

    it('refuses a body by its declared length, before it is read', async () => {
      const { seen, body } = pieces([goodBytes])
      const request = post(null, { 'content-type': 'application/json', 'content-length': '26383110' })
      const error = await errorFrom(read(request, body, limits))
      expect(error).toMatchObject({ status: 413, type: 'invalid_request_error', code: null, param: null })
      expect(error.message).toBe('Maximum content size limit (26214400) exceeded (26383110 bytes read)')
      expect(seen.read).toBe(0)
    })

    it.each([undefined, '5'])(
      'F12 stops reading a body of declared length %s at the first byte too many',
      async declared => {
        const { seen, body } = pieces(Array.from({ length: 50 }, () => new Uint8Array(60)))
        const headers: Record<string, string> = { 'content-type': 'application/json' }
        if (declared !== undefined) headers['content-length'] = declared
        const error = await errorFrom(read(post(null, headers), body, small))
        expect(error.message).toBe('Maximum content size limit (100) exceeded (120 bytes read)')
        expect(seen).toEqual({ read: 2, returned: true })
      },
    )

    it('F12 cancels the body of a request', async () => {
      let pulled = 0
      let cancelled = false
      const stream = new ReadableStream({
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(60))
        },
        cancel() {
          cancelled = true
        },
      })
      expect((await errorFrom(read(post(stream), undefined, small))).status).toBe(413)
      expect(cancelled).toBe(true)
      expect(pulled).toBeLessThan(6)
    })

    it('takes a body of exactly the limit, and refuses one byte more', async () => {
      const exact = { ...limits, maxBytes: goodBytes.length }
      const less = { ...limits, maxBytes: goodBytes.length - 1 }
      for (const body of [{ kind: 'bytes', bytes: goodBytes } as const, pieces([goodBytes]).body]) {
        expect((await read(post(null), body, exact)).model).toBe('m')
      }
      for (const body of [{ kind: 'bytes', bytes: goodBytes } as const, pieces([goodBytes]).body]) {
        expect((await errorFrom(read(post(null), body, less))).status).toBe(413)
      }
      const parsed = { kind: 'parsed', value: { model: 'x'.repeat(200) } } as const
      expect((await errorFrom(read(post(null), parsed, small))).status).toBe(413)
    })

    it('comes before the content type', async () => {
      const request = post(null, { 'content-type': 'text/plain', 'content-length': '99999999' })
      expect((await errorFrom(read(request, pieces([]).body, limits))).status).toBe(413)
    })
  })

  describe('content type', () => {
    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;Charset="UTF-8"',
      'Application/Json ; charset=utf8',
      'application/json; profile=x',
      'application/json;',
    ])('C46 takes %j', async type => {
      expect((await read(post(goodBytes, { 'content-type': type }), undefined, limits)).model).toBe('m')
    })

    it('C45 refuses another, in the live wording', async () => {
      const error = await errorFrom(
        read(post(goodBytes, { 'content-type': 'text/plain' }), undefined, limits),
      )
      expect(error).toMatchObject({ status: 400, code: 'unsupported_content_type', param: null })
      expect(error.message).toBe(
        "Unsupported content type: 'text/plain'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: text/plain'. Please try again with a supported content type.",
      )
    })

    it.each([
      'text/json',
      'application/jsonx',
      'application/merge-patch+json',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      'application/json, text/plain',
      'multipart/form-data; boundary=x',
      `${'x'.repeat(5000)}/y`,
    ])('C45 refuses another (%#)', async type => {
      const error = await errorFrom(read(post(goodBytes, { 'content-type': type }), undefined, limits))
      expect(error.code).toBe('unsupported_content_type')
      expect(error.message.length).toBeLessThan(500)
    })

    it('C45 refuses a request without one, also when the host has parsed it', async () => {
      for (const body of [undefined, { kind: 'parsed', value: good } as const]) {
        const error = await errorFrom(read(post(goodBytes, {}), body, limits))
        expect(error.code).toBe('unsupported_content_type')
        expect(error.message).toContain("you specified no 'Content-Type' header")
      }
    })

    it('comes before the JSON, and without reading it', async () => {
      const { seen, body } = pieces([encode('{')])
      const error = await errorFrom(read(post(null, { 'content-type': 'text/plain' }), body, limits))
      expect(error.code).toBe('unsupported_content_type')
      expect(seen.read).toBe(0)
    })
  })

  it.each(['gzip', 'br', 'zstd', 'identity, gzip'])(
    'F14 refuses the encoding %s, unless the host has undone it',
    async encoding => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      const error = await errorFrom(read(post(goodBytes, headers), undefined, limits))
      expect(error).toMatchObject({ status: 400, reason: 'invalid_request' })
      expect(error.message).toContain(`'${encoding}'`)
      expect((await read(post(null, headers), { kind: 'parsed', value: good }, limits)).model).toBe('m')
      expect((await read(post(null, headers), { kind: 'bytes', bytes: goodBytes }, limits)).model).toBe('m')
    },
  )

  it('takes the encoding identity', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' }
    expect((await read(post(goodBytes, headers), undefined, limits)).model).toBe('m')
  })

  it.each(['{', '', '[]', '"x"', '7', 'null', 'true'])('C42 C43 C44 refuses the body %j', async text => {
    for (const body of [
      undefined,
      pieces([encode(text)]).body,
      { kind: 'bytes', bytes: encode(text) } as const,
    ]) {
      const error = await errorFrom(read(post(text), body, limits))
      expect(error).toMatchObject({ reason: 'invalid_json', status: 400, code: null, param: null })
      expect(error.message).toMatch(/^We could not parse the JSON body/)
    }
  })

  it('C43 C44 refuses no body at all, and a parsed one that is no object', async () => {
    expect((await errorFrom(read(post(null), undefined, limits))).reason).toBe('invalid_json')
    for (const value of [[], 'x', null, 7]) {
      expect((await errorFrom(read(post(null), { kind: 'parsed', value }, limits))).reason).toBe(
        'invalid_json',
      )
    }
    expect((await errorFrom(read(post(null), { kind: 'parsed', value: undefined }, limits))).status).toBe(400)
  })

  it.each([{}, { model: '' }, { model: null }, { messages: 1 }])('C47 refuses %j: no model', async body => {
    const error = await errorFrom(read(post(JSON.stringify(body)), undefined, limits))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', code: null, param: null })
    expect(error.message).toBe('you must provide a model parameter')
  })

  it('refuses a model that is no string', async () => {
    const error = await errorFrom(read(post('{"model":7}'), undefined, limits))
    expect(error).toMatchObject({ status: 400, code: 'invalid_type', param: 'model' })
    expect(error.message).toBe("Invalid type for 'model': expected a string, but got an integer instead.")
  })

  it('F92 finds no model in a polluted prototype', async () => {
    Object.assign(Object.prototype, { model: 'polluted' })
    try {
      expect((await errorFrom(read(post('{}'), undefined, limits))).reason).toBe('missing_model')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'model')
    }
  })

  it('C79 F18 reports a fault of the JSON before a missing model', async () => {
    expect((await errorFrom(read(post('{"a":1,"a":2}'), undefined, limits))).param).toBe('a')
  })

  describe('a body that does not end', () => {
    it('F11 is refused at the deadline', async () => {
      vi.useFakeTimers()
      const { seen, body } = pieces([encode('{')], 'hang')
      const reading = errorFrom(read(post(null), body, { ...limits, deadlineMs: 1000 }))
      await vi.advanceTimersByTimeAsync(999)
      expect(seen.returned).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      const error = await reading
      expect(error).toMatchObject({ status: 408, code: 'request_timeout', param: null })
      expect(error.message).toBe('The body of the request did not arrive within 1000 milliseconds.')
      expect(seen.returned).toBe(true)
      expect(vi.getTimerCount()).toBe(0)
    })

    it('F11 is refused at the deadline even though it drips', async () => {
      vi.useFakeTimers()
      const stream = (async function* () {
        for (;;) {
          await new Promise(resolve => setTimeout(resolve, 100))
          yield encode(' ')
        }
      })()
      const reading = errorFrom(read(post(null), { kind: 'stream', stream }, { ...limits, deadlineMs: 1000 }))
      await vi.advanceTimersByTimeAsync(1000)
      expect((await reading).status).toBe(408)
      await vi.advanceTimersByTimeAsync(200)
      expect(vi.getTimerCount()).toBe(0)
    })

    it('F11 is cancelled at the deadline, when it is a Web stream', async () => {
      vi.useFakeTimers()
      let cancelled = false
      const stream = new ReadableStream({
        cancel() {
          cancelled = true
        },
      })
      const reading = errorFrom(read(post(stream), undefined, { ...limits, deadlineMs: 1000 }))
      await vi.advanceTimersByTimeAsync(1000)
      expect((await reading).status).toBe(408)
      expect(cancelled).toBe(true)
    })
  })

  describe('a caller who leaves', () => {
    it('ends the reading with what the source throws, and leaves no timer', async () => {
      vi.useFakeTimers()
      const gone = new Error('aborted')
      const { body } = pieces([encode('{')], gone)
      await expect(read(post(null), body, limits)).rejects.toBe(gone)
      expect(vi.getTimerCount()).toBe(0)
    })

    it.each(['before', 'while'])('ends the reading by the signal, %s it runs', async when => {
      const controller = new AbortController()
      const reason = new Error('left')
      if (when === 'before') controller.abort(reason)
      let cancelled = false
      const stream = new ReadableStream({
        cancel() {
          cancelled = true
        },
      })
      const request = new Request(post(stream), { signal: controller.signal })
      const reading = read(request, undefined, limits)
      if (when === 'while') queueMicrotask(() => controller.abort(reason))
      await expect(reading).rejects.toBeInstanceOf(LifeEnded)
      await expect.poll(() => cancelled).toBe(true)
    })

    it('is noticed on a real socket', async () => {
      const outcome = new Promise<unknown>(resolve => {
        const server = createServer(incoming => {
          read(post(null), { kind: 'stream', stream: incoming }, limits)
            .then(resolve, resolve)
            .finally(() => server.close())
          socket.resetAndDestroy()
        }).listen(0, '127.0.0.1', () =>
          socket.connect((server.address() as { port: number }).port, '127.0.0.1'),
        )
        const socket = new Socket()
        socket.on('connect', () => {
          socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"model":')
        })
      })
      expect(await outcome).toMatchObject({ code: 'ECONNRESET' })
    })
  })

  it('leaves no timer behind', async () => {
    vi.useFakeTimers()
    await read(post(null), pieces([goodBytes]).body, limits)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('F25 tells the operator, not the caller, that the body was read before', async () => {
    const request = post(goodBytes)
    await request.text()
    const error = await errorFrom(read(request, undefined, limits))
    expect(error).toMatchObject({
      status: 500,
      message: 'The server had an error while processing your request. Sorry about that!',
    })
    expect(String(error.cause)).toContain('mount the gateway before the body parser')
  })

  it('holds about as much memory as bytes that have arrived, whatever is announced and however they are cut', async () => {
    vi.useFakeTimers()
    const cuts = [
      Array.from({ length: 2 }, () => Uint8Array.of(32)),
      Array.from({ length: 60_000 }, () => Uint8Array.of(32)),
      Array.from({ length: 40 }, (_, nth) => new Uint8Array(nth % 2 === 0 ? 4_096 : 1).fill(32)),
      Array.from({ length: 20 }, () => new Uint8Array(1_048_576).subarray(0, 5_000)),
    ]
    for (const parts of cuts) {
      const headers = { 'content-type': 'application/json', 'content-length': '1000000' }
      const bytes = parts.reduce((sum, { length }) => sum + length, 0)
      const before = process.memoryUsage().arrayBuffers
      const uploads = new Uploads()
      const readings = Array.from({ length: 50 }, () =>
        errorFrom(
          read(post(null, headers), pieces(parts, 'hang').body, { ...limits, maxUploads: 50 }, uploads),
        ),
      )
      for (let turns = 0; turns < 20 * parts.length; turns++) await undefined
      const held = process.memoryUsage().arrayBuffers - before
      expect(uploads.bytes).toBe(50_000_000)
      await vi.advanceTimersByTimeAsync(limits.deadlineMs)
      for (const refusal of await Promise.all(readings)) expect(refusal.status).toBe(408)
      expect(uploads.bytes).toBe(0)
      expect(held).toBeLessThan(50 * (3 * bytes + 4_096))
    }
  })

  it('gives back once what it reserved, however a body ends', async () => {
    type Ending = 'end' | 'hang' | 'fail' | 'leave'
    const bodies = fc.record({
      key: fc.constantFrom(' ann', ' bob'),
      sizes: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 5 }),
      announced: fc.constantFrom(undefined, 0, 10, 80, 400),
      ending: fc.constantFrom<Ending>('end', 'hang', 'fail', 'leave'),
    })
    const bounds = { ...limits, maxBytes: 300, maxUploadBytes: 200, maxTotalUploadBytes: 300, maxUploads: 1 }
    const refusals = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(bodies, { maxLength: 8 }), async sent => {
        vi.useFakeTimers()
        const uploads = new Uploads()
        const client = new AbortController()
        const readings = sent.map(async ({ key, sizes, announced, ending }) => {
          const headers: Record<string, string> = { 'content-type': 'application/json' }
          if (announced !== undefined) headers['content-length'] = String(announced)
          const ends = ending === 'leave' ? 'hang' : ending === 'fail' ? new Error('reset') : ending
          const { body } = pieces(
            sizes.map(size => new Uint8Array(size).fill(32)),
            ends,
          )
          const lifetime = new Lifetime(ending === 'leave' ? client.signal : new AbortController().signal)
          const sender = { key, uploads, lifetime, random: Math.random, clock: systemClock }
          try {
            await receive(post(null, headers), body, bounds, chatDialect, sender)
          } catch (error) {
            refusals.add(error instanceof GatewayError ? error.reason : (error as Error).name)
          }
        })
        for (let turns = 0; turns < 30; turns++) await undefined
        expect(uploads.bytes).toBeLessThanOrEqual(300)
        client.abort()
        await vi.advanceTimersByTimeAsync(limits.deadlineMs)
        await Promise.all(readings)
        expect([uploads.bytes, uploads.senders, vi.getTimerCount()]).toEqual([0, 0, 0])
        vi.useRealTimers()
      }),
      { numRuns: 200 },
    )
    expect([...refusals].sort()).toEqual(
      [
        'Error',
        'LifeEnded',
        'invalid_json',
        'request_timeout',
        'service_overloaded',
        'too_many_uploads',
      ].sort(),
    )
  })

  it('is given back where its source cannot even be read', async () => {
    const uploads = new Uploads()
    const stream = {
      [Symbol.asyncIterator]() {
        throw new Error('locked')
      },
    }
    await expect(read(post(null), { kind: 'stream', stream }, limits, uploads)).rejects.toThrow('locked')
    expect([uploads.bytes, uploads.senders]).toEqual([0, 0])
  })

  describe('a body that arrives slowly', () => {
    const rate = { ...limits, minBytesPerSecond: 100, minRateGraceMs: 2_000 }
    /** One that sends so many bytes at each of these times, in milliseconds. */
    const timed = (sent: readonly (readonly [at: number, bytes: number])[]) =>
      (async function* () {
        let now = 0
        for (const [at, bytes] of sent) {
          await new Promise(resolve => setTimeout(resolve, at - now))
          now = at
          yield new Uint8Array(bytes).fill(32)
        }
        await new Promise(() => {})
      })()

    it.each([
      ['nothing at all', [], 2_000, 'got 0 bytes in 2000 ms'],
      ['one byte', [[10, 1]], 2_010, 'got 1 bytes in 2010 ms'],
      ['bytes that last for three seconds', [[10, 300]], 5_000, 'got 300 bytes in 5000 ms'],
      [
        'bytes just in time',
        [
          [10, 50],
          [2_400, 100],
        ],
        3_500,
        'got 150 bytes in 3500 ms',
      ],
    ] as const)('is a 408 as soon as it is behind its rate: %s', async (_, sent, dueMs, told) => {
      vi.useFakeTimers()
      let error: GatewayError | undefined
      void errorFrom(read(post(null), { kind: 'stream', stream: timed(sent) }, rate)).then(refusal => {
        error = refusal
      })
      await vi.advanceTimersByTimeAsync(dueMs - 1)
      expect(error).toBeUndefined()
      await vi.advanceTimersByTimeAsync(2)
      expect(error).toMatchObject({ status: 408, code: 'request_timeout' })
      expect(error?.message).toBe(
        `The body of the request arrives too slowly: ${told}, expected at least 100 bytes per second after the first 2000 ms.`,
      )
    })

    it('has until its deadline where it keeps to its rate', async () => {
      vi.useFakeTimers()
      const steady = Array.from({ length: 400 }, (_, nth) => [100 * nth, 10] as const)
      const reading = errorFrom(read(post(null), { kind: 'stream', stream: timed(steady) }, rate))
      await vi.advanceTimersByTimeAsync(limits.deadlineMs)
      expect((await reading).message).toBe(
        'The body of the request did not arrive within 30000 milliseconds.',
      )
    })
  })

  it('does not copy a body that comes in one piece', async () => {
    const { body } = pieces([goodBytes])
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    await read(post(null), body, limits)
    expect(decode.mock.calls[0]?.[0]).toBe(goodBytes)
    decode.mockRestore()
  })

  it('throws nothing but GatewayError on any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async bytes => {
        expect((await errorFrom(read(post(null), { kind: 'bytes', bytes }, limits))).status).toBe(400)
      }),
    )
  })
})

const head = (name: string, value: string | null) => ({
  get: (asked: string) => (asked === name ? value : null),
})

function refusedHeaders(check: () => void): GatewayError | undefined {
  try {
    check()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  return undefined
}

const typed = (value: string | null) => refusedHeaders(() => checkContentType(head('content-type', value)))
const coded = (value: string | null) =>
  refusedHeaders(() => checkContentEncoding(head('content-encoding', value)))

describe('checkContentType', () => {
  it.each([
    'application/json',
    'Application/JSON',
    ' application/json ',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json; Charset = "utf-8" ',
    'application/json; profile="a"; charset=utf-8; x',
  ])('takes %j', value => {
    expect(typed(value)).toBeUndefined()
  })

  it.each([
    ['text/plain', 'text/plain'],
    ['text/plain; charset=utf-8', 'text/plain'],
    [' Text/Plain ;a', 'Text/Plain'],
    ['', ''],
    ['application/jsonp', 'application/jsonp'],
    ['application/json; charset=utf-16', 'application/json; charset=utf-16'],
    ['application/json; charset=utf-8; charset=latin1', 'application/json; charset=utf-8; charset=latin1'],
    ['application/json; charset=xutf-8', 'application/json; charset=xutf-8'],
    ['application/json; charset=utf-8x', 'application/json; charset=utf-8x'],
    ['application/json; charset', 'application/json; charset'],
  ])('refuses %j, and names %j', (value, shown) => {
    const refusal = typed(value)
    expect(refusal).toMatchObject({ reason: 'unsupported_content_type', status: 400 })
    expect(refusal?.message).toBe(
      `Unsupported content type: '${shown}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${value}'. Please try again with a supported content type.`,
    )
  })

  it('says that there is none', () => {
    expect(typed(null)?.message).toBe(
      "Unsupported content type. This API method only accepts 'application/json' requests, but you specified no 'Content-Type' header. Please try again with a supported content type.",
    )
  })
})

describe('checkContentEncoding', () => {
  it.each([null, '', ' ', 'identity', ' Identity '])('takes %j', value => {
    expect(coded(value)).toBeUndefined()
  })

  it.each(['gzip', 'br', 'identity, gzip', 'x'])('refuses %j', value => {
    expect(coded(value)).toMatchObject({ reason: 'invalid_request', status: 400 })
    expect(coded(value)?.message).toBe(
      `Unsupported content encoding: '${value}'. Expected the body as it is, without the header 'Content-Encoding'.`,
    )
  })
})
