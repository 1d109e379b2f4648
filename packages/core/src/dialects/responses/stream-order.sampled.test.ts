import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import {
  type ReadResponse,
  readResponseStream,
  responseEvents,
} from '../../../test/support/read-response-stream.ts'
import {
  chunk,
  finish,
  normalizerFor,
  usage,
  writerFor,
  written,
} from '../../../test/support/written-response.ts'
import type { PartialChunk, PartialMessage } from '../../contracts/provider.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { FinishReason, JsonObject } from '../../protocol/chat.ts'

/** A fixed seed with the quick tests. */
const runs = inject('exhaustive') ? { numRuns: 2_000 } : { numRuns: 200, seed: 1 }

const tools: JsonObject = {
  tools: [
    { type: 'namespace', name: 'mcp__fs', tools: [{ type: 'function', name: 'read', parameters: {} }] },
    { type: 'custom', name: 'apply_patch' },
    { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: { type: 'object' } },
    { type: 'local_shell' },
  ],
}
const requests: readonly JsonObject[] = [
  {},
  tools,
  { ...tools, include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
  { ...tools, store: false, include: ['message.output_text.logprobs'], top_logprobs: 1 },
]

const words = fc.string({ unit: 'binary', maxLength: 8 })
const link = words.map(title => ({
  type: 'url_citation' as const,
  url_citation: { url: 'https://a.test', title, start_index: 0, end_index: 1 },
}))
/** What a model says, but for calls. */
const said: fc.Arbitrary<PartialChunk> = fc.oneof(
  words.map(content => chunk({ content })),
  words.map(refusal => chunk({ refusal })),
  words.map(reasoning_content => chunk({ reasoning_content })),
  words.map(data => chunk({ reasoning_details: [{ type: 'reasoning.encrypted', format: 'acme-v1', data }] })),
  words.map(text =>
    chunk({ reasoning_details: [{ type: 'reasoning.summary', summary: text, format: 'acme-v1' }] }),
  ),
  words.map(data => chunk({ ended_reasoning: { type: 'reasoning.encrypted', format: 'acme-v1', data } })),
  link.map(each => chunk({ annotations: [each] })),
  words.map(text => chunk({ citations: [{ text }] })),
  words.map(content => ({ choices: [{ index: 1, delta: { content } }] })),
  words.map(token => ({
    choices: [
      {
        index: 0,
        delta: { content: token },
        logprobs: { content: [{ token, logprob: -1, bytes: null, top_logprobs: [] }], refusal: null },
      },
    ],
  })),
)

interface Call {
  readonly name: string
  readonly isCustom: boolean
  readonly pieces: readonly string[]
}

const call: fc.Arbitrary<Call> = fc
  .tuple(
    fc.constantFrom('f', 'mcp__fs__read', 'apply_patch', 'tool_search', 'local_shell', 'odd name'),
    fc.boolean(),
    words,
    fc.array(fc.nat(40), { maxLength: 3 }),
  )
  .map(([name, isCustom, value, cuts]) => {
    const given = isCustom ? value : JSON.stringify({ input: value })
    const ends = [...cuts, given.length].sort((a, b) => a - b)
    return { name, isCustom, pieces: ends.map((end, at) => given.slice(ends[at - 1] ?? 0, end)) }
  })

/** What calls are, in pieces that may come in turns. */
function chunksOf(calls: readonly Call[], order: readonly number[]): PartialChunk[] {
  const next = calls.map(() => 0)
  const steps = [...order, ...calls.flatMap(({ pieces }, at) => pieces.map(() => at))]
  return steps.flatMap(step => {
    const index = step % Math.max(1, calls.length)
    const each = calls[index]
    const at = next[index]
    if (each === undefined || at === undefined || at >= each.pieces.length) return []
    next[index] = at + 1
    const { name, isCustom } = each
    const opening =
      at === 0 ? { id: `call_${index}`, type: isCustom ? ('custom' as const) : ('function' as const) } : {}
    const named = at === 0 ? { name } : {}
    const piece = each.pieces[at]!
    const body = isCustom
      ? { custom: { ...named, input: piece } }
      : { function: { ...named, arguments: piece } }
    return [chunk({ tool_calls: [{ index, ...opening, ...body }] } as PartialMessage)]
  })
}

/** An answer: what is said, and calls somewhere in it. */
const answer: fc.Arbitrary<readonly PartialChunk[]> = fc
  .tuple(
    fc.array(said, { maxLength: 8 }),
    fc.array(call, { maxLength: 3 }),
    fc.array(fc.nat(2), { maxLength: 6 }),
    fc.array(fc.nat(30), { maxLength: 12 }),
  )
  .map(([spoken, calls, order, places]) => {
    // The first choice is the one that is read.
    const chunks = [chunk({ content: '' }), ...spoken]
    // Their order stays: each is placed behind the one before it.
    let from = 0
    for (const [at, each] of chunksOf(calls, order).entries()) {
      from = Math.min(chunks.length, from + ((places[at] ?? 0) % 3))
      chunks.splice(from, 0, each)
      from++
    }
    return chunks
  })
const reason = fc.constantFrom<FinishReason>('stop', 'length', 'tool_calls', 'content_filter')
const fields = fc.constantFrom(...requests)
const cuts = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 })

/** The chunks as a vendor's reads. */
function readsOf(chunks: readonly PartialChunk[], sizes: readonly number[]): PartialChunk[][] {
  const reads: PartialChunk[][] = []
  for (let at = 0, turn = 0; at < chunks.length; turn++) {
    const size = sizes[turn] ?? 1
    reads.push(chunks.slice(at, at + size))
    at += size
  }
  return reads
}

/** What the first choice says, by the chunks of a vendor. */
function givenIn(chunks: readonly PartialChunk[]) {
  const deltas = chunks.flatMap(({ choices = [] }) =>
    choices.flatMap(({ index, delta }) => (index === 0 ? [delta] : [])),
  )
  const joined = (name: 'content' | 'refusal' | 'reasoning_content') =>
    deltas.map(delta => delta?.[name] ?? '').join('')
  return { text: joined('content'), refusal: joined('refusal'), reasoning: joined('reasoning_content') }
}

function readIn({ items }: ReadResponse) {
  const partsOf = (type: string, list: 'content' | 'summary') =>
    items.flatMap(item => (item.type === type ? (item[list] ?? []) : []))
  const joined = (parts: readonly { text?: string; refusal?: string }[], name: 'text' | 'refusal') =>
    parts.map(part => part[name] ?? '').join('')
  const messages = partsOf('message', 'content')
  return {
    text: joined(messages, 'text'),
    refusal: joined(messages, 'refusal'),
    reasoning: joined(
      [
        ...items.flatMap(({ type, summary = [], content = [] }) =>
          type === 'reasoning' ? [...summary, ...content] : [],
        ),
      ],
      'text',
    ),
  }
}

describe('a streamed response', () => {
  it('is in order and complete whatever a vendor sends', () => {
    fc.assert(
      fc.property(answer, reason, fields, cuts, (chunks, how, request, sizes) => {
        let out: string
        // The arguments of a search that are no object are the vendor's fault.
        try {
          out = written(readsOf([...chunks, finish(how)], sizes), request)
        } catch (error) {
          expect(error).toMatchObject({ kind: 'garbled' })
          return
        }
        const read = readResponseStream(out)
        expect(readIn(read)).toEqual(givenIn(chunks))
        expect(read.response.usage).toEqual({
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          output_tokens: 7,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 107,
        })
        // What was cut is last. Reasoning that had ended was not.
        const last = read.items.at(-1)
        const isCut = read.response.status === 'incomplete'
        expect(read.items.slice(0, -1).some(({ status }) => status === 'incomplete')).toBe(false)
        if (!isCut) expect(last?.status).not.toBe('incomplete')
        else if (last !== undefined && last.type !== 'reasoning') expect(last.status).toBe('incomplete')
      }),
      runs,
    )
  })

  it('can break at each point, and is in order', () => {
    fc.assert(
      fc.property(answer, fields, fc.nat(20), (chunks, request, point) => {
        const writer = writerFor(request)
        const normalizer = normalizerFor()
        const sent = chunks.slice(0, point)
        let out = writer.open()
        for (const each of sent) out += writer.push(normalizer.push([each]))
        const whole = out + writer.fail(new GatewayError('upstream_error'), usage)
        expect(whole.startsWith(out)).toBe(true)
        const read = readResponseStream(whole)
        expect(read.response).toMatchObject({
          status: 'failed',
          completed_at: null,
          error: { code: 'server_error' },
        })
        expect(read.response.usage.total_tokens).toBe(107)
        const { text, refusal } = readIn(read)
        expect({ text, refusal }).toEqual(
          (({ text: t, refusal: r }) => ({ text: t, refusal: r }))(givenIn(sent)),
        )
      }),
      runs,
    )
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a test breaks what was written
type Loose = any

/** What a vendor does wrong. */
const breach = fc.oneof(
  fc.constantFrom('ids', 'numbers', 'no numbers', 'output', 'output_index', 'part index', 'names', 'opening'),
  fc.tuple(fc.constantFrom('drop', 'double', 'unknown'), fc.nat(40)),
)
type Breach = typeof breach extends fc.Arbitrary<infer Value> ? Value : never

/** Events that bring no text of their own. */
const isFrame = ({ type }: Loose) => /(?:added|done)$/.test(type) && !type.includes('annotation')

function broken(events: readonly Loose[], made: Breach): readonly Loose[] {
  if (Array.isArray(made)) {
    const [how, where] = made
    const frames = events.filter(isFrame)
    const frame = frames[Number(where) % Math.max(1, frames.length)]
    return events.flatMap(event => {
      if (event !== frame) return [event]
      if (how === 'drop') return []
      return how === 'double' ? [event, event] : [{ type: 'response.sparkle.added', sparkle: 1 }, event]
    })
  }
  let ids = 0
  return events
    .map(event => {
      switch (made) {
        case 'ids':
          return {
            ...event,
            ...('item_id' in event && { item_id: `other_${++ids}` }),
            ...('item' in event && { item: { ...event.item, id: `other_${++ids}` } }),
          }
        case 'numbers':
          return { ...event, sequence_number: event.sequence_number + 3 }
        case 'no numbers': {
          const { sequence_number: _, ...rest } = event
          return rest
        }
        case 'output':
          return event.type === 'response.completed'
            ? { ...event, response: { ...event.response, output: [] } }
            : event
        case 'output_index':
          return 'output_index' in event ? { ...event, output_index: event.output_index * 2 + 1 } : event
        case 'part index':
          return 'content_index' in event ? { ...event, content_index: event.content_index + 1 } : event
        case 'names':
          return {
            ...event,
            type: event.type.replace(
              'content_part',
              event.part?.type === 'reasoning_text' ? 'reasoning_part' : 'content_part',
            ),
          }
        default:
          return event
      }
    })
    .filter(({ type }) => made !== 'opening' || !/created|in_progress/.test(type))
}

describe('a stream of a vendor that speaks the protocol', () => {
  /** What the vendor sends, and what it should have. */
  const madeBy = (chunks: readonly PartialChunk[], request: JsonObject, breaches: readonly Breach[]) => {
    const stream = written([[...chunks, finish('stop')]], { ...request, store: false })
    const right = readResponseStream(stream)
    const events = responseEvents(stream).map(event => ({
      ...event,
      ...(event.response && { response: { ...event.response, id: 'resp_v', model: 'vendor-1' } }),
    }))
    return { right, events: breaches.reduce(broken, events) }
  }
  const breaches = fc.array(breach, { maxLength: 4 })
  const vendors = fc
    .tuple(answer, fields, breaches, fc.boolean(), fc.boolean())
    .map(([chunks, request, made, isNamed, opened]) => {
      try {
        return { request, made, isNamed, opened, ...madeBy(chunks, request, made) }
      } catch (error) {
        // The arguments of a search that are no object.
        expect(error).toMatchObject({ kind: 'garbled' })
        return undefined
      }
    })
    .filter(each => each !== undefined)
  const natives = (events: readonly Loose[], isNamed: boolean) =>
    events.map(event => ({ event: isNamed ? event.type : undefined, data: JSON.stringify(event) }))

  it('is mended whatever it breaks', () => {
    fc.assert(
      fc.property(vendors, cuts, ({ request, made, right, events, isNamed, opened }, sizes) => {
        const writer = writerFor(request)
        const opening = writer.open()
        let out = opened ? opening : ''
        const all = natives(events, isNamed)
        for (let at = 0, turn = 0; at < all.length; turn++) {
          const size = sizes[turn] ?? 1
          out += writer.pass(all.slice(at, at + size), opened)
          at += size
        }
        out += writer.end([], normalizerFor(), usage)
        const read = readResponseStream(out)
        expect(readIn(read)).toEqual(readIn(right))
        expect(read.response).toMatchObject({
          id: 'resp_1',
          model: 'public',
          status: 'completed',
          store: false,
        })
        // A call without its beginning and its end is lost.
        if (!made.some(each => Array.isArray(each))) expect(callsIn(read)).toEqual(callsIn(right))
      }),
      runs,
    )
  })

  it('can end at each point, and is in order', () => {
    fc.assert(
      fc.property(vendors, fc.integer({ min: 2, max: 60 }), ({ request, events, isNamed, opened }, point) => {
        const writer = writerFor(request)
        const opening = writer.open()
        let out = opened ? opening : ''
        const sent = events.slice(0, -1).slice(0, point)
        for (const each of natives(sent, isNamed)) out += writer.pass([each], opened)
        if (sent.length > 0) expect(() => writer.finish([], normalizerFor(), usage)).toThrow(/ended before/)
        // The gateway has sent an opening by then.
        if (out === '') out = opening
        const read = readResponseStream(out + writer.fail(new GatewayError('upstream_error'), usage))
        expect(read.response).toMatchObject({
          id: 'resp_1',
          model: 'public',
          status: 'failed',
          store: false,
        })
      }),
      runs,
    )
  })
})

function callsIn({ items }: ReadResponse) {
  return items
    .filter(({ type }) => type.endsWith('_call'))
    .map(({ type, name, arguments: given, input, action }) => ({
      type,
      name,
      given: given ?? input ?? action,
    }))
}
