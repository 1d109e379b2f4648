import { readSse, type Steps, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { eventFrame } from '../../../packages/providers/test/vendors/replay/event-frames.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { joinedCalls, piecesChunk } from './harness/tool-pieces.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { vendors } from './harness/wires.ts'

/** Escapes of every kind, a surrogate pair as it is and as escapes, and a number that a parser would round. */
const texts = [
  String.raw`{"q":"a\"b\\\n\u00e9 \ud83d\ude00 😀 é","n":12345678901234567890}`,
  String.raw`{"😀":"\ud83d\ude00\\","z":[1.0,-0,1e2],"q":"a\"b\\\n\u00e9 \ud8"}`,
] as const

/** Whatever JSON event an own protocol has for a piece. */
type Pieces = (index: number, text: string) => object
type Opener = (index: number, id: string) => object

/** How a stream opens calls, adds to them and ends: each as events of its vendor. */
interface CallStream {
  readonly vendor: string
  readonly opener: Opener
  readonly piece: Pieces
  readonly steps: (events: readonly object[]) => Steps
}

const amazon = { headers: { 'content-type': 'application/vnd.amazon.eventstream' } }
const streams: readonly CallStream[] = [
  {
    vendor: 'openai',
    opener: (index, id) =>
      piecesChunk([{ index, id, type: 'function', function: { name: `f${index}`, arguments: '' } }]),
    piece: (index, text) => piecesChunk([{ index, function: { arguments: text } }]),
    steps: events => steps.stream(sse([...events, piecesChunk([], 'tool_calls')])),
  },
  {
    vendor: 'anthropic',
    opener: (index, id) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name: `f${index}`, input: {} },
    }),
    piece: (index, partial_json) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    }),
    steps: events =>
      steps.stream(
        sse(
          [
            { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
            ...events,
            { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
            { type: 'message_stop' },
          ],
          { done: false },
        ),
      ),
  },
  {
    vendor: 'bedrock with nova',
    opener: (contentBlockIndex, toolUseId) => ({
      contentBlockStart: {
        contentBlockIndex,
        start: { toolUse: { toolUseId, name: `f${contentBlockIndex}` } },
      },
    }),
    piece: (contentBlockIndex, input) => ({
      contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input } } },
    }),
    steps: events => {
      const all: object[] = [{ messageStart: { role: 'assistant' } }, ...events]
      all.push(
        { messageStop: { stopReason: 'tool_use' } },
        { metadata: { usage: { inputTokens: 9, outputTokens: 7 } } },
      )
      return steps.stream(
        all.flatMap(event => Object.entries(event).map(([name, payload]) => eventFrame(name, payload))),
        amazon,
      )
    },
  },
]

const tools = ['f0', 'f1'].map(name => ({ type: 'function', function: { name } }))

describe('F96 calls of tools come in pieces that are cut anywhere and lie between one another', () => {
  overServers(mount => {
    const asking = async (vendor: string, script: Steps) => {
      const upstream = await upstreamDuring(script)
      const service = await startService(mount, { models: { m: vendors[vendor]!.at(upstream.url) } })
      const ask = async () => readSse((await service.site.chat({ model: 'm', stream: true, tools })).bytes)
      return { upstream, ask, ...service }
    }

    it.each(streams)('of $vendor, cut at every place', async ({ vendor, opener, piece, steps: script }) => {
      const { upstream, ask, ends } = await asking(vendor, script([]))
      const longest = Math.max(...texts.map(text => text.length))
      for (let at = 0; at <= longest; at++) {
        const halves = texts.map(text => [text.slice(0, at), text.slice(at)] as const)
        const events = [
          ...texts.map((_, index) => opener(index, `call_${index}`)),
          ...halves.map(([before], index) => piece(index, before)),
          ...halves.map(([, after], index) => piece(index, after)),
        ]
        upstream.respondWith(script(events))
        const { chunks, done } = await ask()
        expect(done).toBe(true)
        const expected = texts.map((text, index) => ({
          id: `call_${index}`,
          name: `f${index}`,
          arguments: text,
        }))
        expect(joinedCalls(chunks), `cut at ${at}`).toEqual(expected)
        expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe('tool_calls')
      }
      expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    })

    it.each(streams)(
      'of $vendor, one unit at a time, by turns',
      async ({ vendor, opener, piece, steps: script }) => {
        const units = texts.map(text => Array.from({ length: text.length }, (_, at) => text.charAt(at)))
        const longest = Math.max(...units.map(list => list.length))
        const events = texts.map((_, index) => opener(index, `call_${index}`))
        for (let at = 0; at < longest; at++) {
          for (const [index, list] of units.entries()) events.push(piece(index, list[at] ?? ''))
        }
        const { ask } = await asking(vendor, script(events))
        expect(joinedCalls((await ask()).chunks).map(call => call.arguments)).toEqual(texts)
      },
    )

    it.each(streams)(
      'of $vendor, of what is no JSON and never will be',
      async ({ vendor, opener, piece, steps: script }) => {
        const odd = ['{"a": 01, b', 'undefined', '}{', '"', '\\', '{"a":1}{"a":2}']
        const { upstream, ask } = await asking(vendor, script([]))
        for (const text of odd) {
          upstream.respondWith(script([opener(0, 'call_0'), ...[...text].map(unit => piece(0, unit))]))
          const { chunks, done } = await ask()
          expect([done, joinedCalls(chunks)[0]?.arguments]).toEqual([true, text])
        }
      },
    )

    const opened = (index: number, id: string | null | undefined, name = `f${index}`) => ({
      index,
      id,
      type: 'function',
      function: { name, arguments: '' },
    })
    it.each([
      ['empty', ''],
      ['null', null],
      ['absent', undefined],
    ])('an id that is %s at first is filled in later', async (_, none) => {
      const events = [
        piecesChunk([opened(0, none), opened(1, none)]),
        piecesChunk([{ index: 1, id: 'late_1', function: { arguments: '[' } }]),
        piecesChunk([{ index: 0, id: 'late_0' }]),
        piecesChunk([{ index: 0, id: 'late_0', function: { arguments: '{}' } }]),
        piecesChunk([{ index: 1, id: '', function: { arguments: ']' } }]),
        piecesChunk([], 'tool_calls'),
      ]
      const { ask } = await asking('openai', steps.stream(sse(events)))
      expect(joinedCalls((await ask()).chunks)).toEqual([
        { id: 'late_0', name: 'f0', arguments: '{}' },
        { id: 'late_1', name: 'f1', arguments: '[]' },
      ])
    })

    it('two calls of one id stay two, and can be answered one by one', async () => {
      const events = [
        piecesChunk([opened(0, 'same'), opened(1, 'same')]),
        piecesChunk([{ index: 0, function: { arguments: '{"a":1}' } }]),
        piecesChunk([{ index: 1, id: 'same', function: { arguments: '{"a":2}' } }]),
        piecesChunk([], 'tool_calls'),
      ]
      const { ask } = await asking('openai', steps.stream(sse(events)))
      const calls = joinedCalls((await ask()).chunks)
      expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual([
        ['f0', '{"a":1}'],
        ['f1', '{"a":2}'],
      ])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })
  })
})
