import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import { createGateway, type RequestLimits } from '@sluice/core'
import type { PartialChunk } from '@sluice/core/provider'
import fc from 'fast-check'
import { defaultRequestLimits } from '../../packages/core/src/gateway/config.ts'
import { intakeExamples } from './examples/intake.ts'
import { fuzz } from './fuzz.ts'
import { chatBody } from './intake/chat-bodies.ts'
import { jsonSoup, jsonText } from './intake/json-texts.ts'
import { mutatedBytes } from './intake/mutated-bytes.ts'
import { type Fault, type ReferenceReading, referenceJson } from './intake/reference-json.ts'
import { type TakenIn, takenIn, validationOf } from './intake/taken-in.ts'

const limits: fc.Arbitrary<RequestLimits> = fc
  .record({
    maxBytes: fc.constantFrom(10_000, 10_000, 10_000, 60, 5),
    maxDepth: fc.constantFrom(64, 64, 64, 12, 3, 1),
    maxElements: fc.constantFrom(100_000, 100_000, 100_000, 20, 3),
    maxMembers: fc.constantFrom(10_000, 10_000, 10_000, 4, 1),
  })
  .map(bounds => ({ ...defaultRequestLimits, ...bounds }))
const wide: RequestLimits = { ...defaultRequestLimits, maxBytes: 100_000 }

const chat = fc
  .tuple(
    chatBody.map(({ text }) => text),
    jsonText,
  )
  .map(([text, value]) => `${text.slice(0, -1)},"extra":${value}}`)
const bodies = mutatedBytes(fc.oneof(jsonText, jsonSoup, chat).map(text => Buffer.from(text)))

fuzz({
  name: 'body intake: bytes and values to a draft',
  cases: 700_000,
  quick: 6_000,
  input: fc.record({ bytes: bodies, limits }),
  examples: intakeExamples,
  async check({ bytes, limits: bounds }) {
    const reference = referenceJson(bytes, bounds)
    const byBytes = await takenIn({ kind: 'bytes', bytes }, bounds)
    expectDraft(byBytes, bytes, reference, bounds)
    if (!reference.isJson) return
    const byHost = await takenIn({ kind: 'parsed', value: reference.value }, bounds)
    expectSame(byHost, byBytes, reference, bounds)
    for (const profile of ['schema', 'live'] as const) {
      const refusal = byBytes.draft && validationOf(byBytes.draft, profile)
      if (byBytes.draft && byHost.draft) {
        deepStrictEqual(validationOf(byHost.draft, profile)?.toBody(), refusal?.toBody())
      }
    }
  },
})

fuzz({
  name: 'body intake: requests by the published schema',
  cases: 300_000,
  quick: 3_000,
  input: chatBody,
  async check({ text, good }) {
    const { draft, refusal } = await takenIn({ kind: 'bytes', bytes: Buffer.from(text) }, wide)
    const refused = refusal ?? validationOf(draft, 'schema')
    equal(refused === undefined, good, refused?.message)
    // What is refused by the schema is refused by the stricter profile too.
    if (!good && draft !== undefined) ok(validationOf(draft, 'live') !== undefined)
  },
})

const gateway = createGateway({
  authenticate: () => ({ id: 'ann' }),
  route: () => [
    {
      model: 'm',
      provider: {
        name: 'one word',
        encode: () => ({ method: 'POST', url: 'http://upstream.test', headers: {} }),
        decode: (_response, { input }) =>
          input.stream === true
            ? { kind: 'stream', chunks: oneChunk() }
            : { kind: 'completion', completion: { choices: [{ index: 0, message: { content: 'a' } }] } },
        transport: async () => ({ status: 200, headers: new Headers(), body: noBytes() }),
      },
    },
  ],
})

fuzz({
  name: 'body intake: through the gateway, in pieces',
  cases: 20_000,
  quick: 300,
  input: fc.record({ bytes: bodies, size: fc.integer({ min: 1, max: 50 }) }),
  async check({ bytes, size }) {
    const { draft, refusal } = await takenIn({ kind: 'bytes', bytes }, wide)
    const refused = refusal ?? validationOf(draft, 'schema')
    const request = new Request('http://gateway.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: inPieces(bytes, size),
      duplex: 'half',
    } as RequestInit)
    const response = await gateway.fetch(request)
    const text = await response.text()
    equal(response.status, refused?.status ?? 200)
    if (refused !== undefined) deepStrictEqual(JSON.parse(text), refused.toBody())
  },
})

/** The pure reader and the slow one agree on what is taken, and on what is made of it. */
function expectDraft(
  { draft, refusal }: TakenIn,
  bytes: Uint8Array,
  reading: ReferenceReading,
  { maxBytes }: RequestLimits,
): void {
  const expected = expectedRefusal(bytes, reading, maxBytes)
  if (expected !== undefined)
    ok(expected.test(refusal?.reason ?? ''), `got ${refusal?.reason}, expected ${expected}`)
  else {
    const { outline, ...parts } = draft ?? {}
    const [dialect, operation, model] = ['chat', 'generate', modelOf(reading.value)]
    deepStrictEqual(parts, { dialect, operation, model, body: reading.value, bytes: bytes.length })
    ok(outline !== undefined)
  }
}

function expectedRefusal(
  bytes: Uint8Array,
  { isJson, value, faults }: ReferenceReading,
  maxBytes: number,
): RegExp | undefined {
  if (bytes.length > maxBytes) return /^body_too_large$/
  // Where the grammar is broken too, any of the faults may be told.
  if (!isJson) return /^(?:invalid_json|invalid_request|object_above_max_properties|(?:integer|decimal)_\w+)$/
  if (faults.size > 0) return new RegExp(`^(?:${[...faults].map(fault => refusals[fault]).join('|')})$`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return /^invalid_json$/
  const model = modelOf(value)
  if (model === undefined || model === null || model === '') return /^missing_model$/
  return typeof model === 'string' ? undefined : /^invalid_type$/
}

function modelOf(value: unknown): unknown {
  return Object.hasOwn(value as object, 'model') ? Reflect.get(value as object, 'model') : undefined
}

/** A value that a host has parsed is taken as its bytes are, as far as the value still tells. */
function expectSame(
  byHost: TakenIn,
  byBytes: TakenIn,
  { value, faults, hasLargeNumber }: ReferenceReading,
  { maxBytes }: RequestLimits,
): void {
  // A key given twice and a number's digits are lost by then; what is left of them may be taken or not.
  if (hasLargeNumber || faults.has('duplicate') || faults.has('long')) return
  // So is `1e5`, which has become longer.
  const size = Buffer.byteLength(JSON.stringify(value))
  if (byHost.refusal?.reason === 'body_too_large') ok(size > maxBytes, 'refused for a size that it has not')
  else if (byBytes.draft !== undefined) {
    deepStrictEqual(byHost.draft?.body, byBytes.draft.body)
    ok(byHost.draft !== undefined && byHost.draft.bytes <= size)
  } else if (byBytes.refusal.reason !== 'body_too_large') {
    ok(byHost.refusal !== undefined, `only the bytes were refused: ${byBytes.refusal.message}`)
    // A value is known to be crowded before it is looked into, bytes only where the last key comes.
    if (faults.size > 1 || faults.has('crowded')) return
    // `1e400` has become `Infinity`: the text tells what was got.
    const { reason: refusal, param } = byBytes.refusal
    deepStrictEqual([byHost.refusal.reason, byHost.refusal.param], [refusal, param])
  }
}

const refusals: Readonly<Record<Fault, string>> = {
  deep: 'invalid_request',
  many: 'invalid_request',
  crowded: 'object_above_max_properties',
  duplicate: 'invalid_request',
  surrogate: 'invalid_request',
  long: 'invalid_request',
  integer: 'integer_(?:above_max|below_min)_value',
  infinite: 'decimal_(?:above_max|below_min)_value',
}

function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

async function* oneChunk(): AsyncGenerator<readonly PartialChunk[]> {
  yield [{ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }]
}
