import { chunks, readSse, type Steps, sse, steps, usage } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { SaidEvent } from '../../../packages/providers/test/vendors/properties/answer-streams.ts'
import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { answering, framedAnswer, threeWords } from './harness/vendor-answers.ts'
import { oneOfEachWire } from './harness/wires.ts'

/** What the vendor means: the counts of `threeWords`. */
const counted = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 }

const plain = chunks({ text: 'one two three' })
const counts = usage(9, 7, 2)
const growing = plain.map((chunk, at) => ({ ...chunk, usage: usage(9, Math.min(at + 3, 7), 2) }))
const alone = { ...plain[0], choices: [], usage: counts }

const eventsOf = (wire: Wire): readonly SaidEvent[] => framedAnswer(wire, threeWords).events
/** The events of a wire, each as often as `times` says of its name. */
const repeated = (wire: Wire, times: Readonly<Record<string, number>>) =>
  eventsOf(wire).flatMap(event => Array.from({ length: times[event.name] ?? 1 }, () => event))
const onlyUsage = eventsOf('generate').map(({ name, payload }) => ({
  name,
  payload: { usageMetadata: (payload as { usageMetadata: object }).usageMetadata },
}))

/** Ways to tell of the same counts more than once. */
const answers: readonly (readonly [name: string, vendor: string, steps: Steps])[] = [
  ['once, at the end', 'openai', steps.stream(sse(chunks({ text: 'one two three', usage: counts })))],
  ['in each chunk, growing', 'openai', steps.stream(sse(growing))],
  ['in each chunk, the same', 'openai', steps.stream(sse(plain.map(chunk => ({ ...chunk, usage: counts }))))],
  ['twice at the end', 'openai', steps.stream(sse([...plain, alone, alone]))],
  ['in the last chunk and after it', 'openai', steps.stream(sse([...growing, alone]))],
  [
    'beside the vendor’s own',
    'openai',
    steps.stream(sse([...plain, { ...alone, x_groq: { usage: counts } }])),
  ],
  [
    'in two halves',
    'openai',
    steps.stream(
      sse([
        ...plain,
        { ...alone, usage: { ...counts, completion_tokens: null } },
        { ...alone, usage: { completion_tokens: 7 } },
      ]),
    ),
  ],
  ['at the start and at the end', 'anthropic', answering('messages', eventsOf('messages'))],
  [
    'more often at both',
    'anthropic',
    answering('messages', repeated('messages', { message_start: 2, message_delta: 3 })),
  ],
  ['in each chunk, growing', 'gemini', answering('generate', eventsOf('generate'))],
  [
    'in each chunk, and again after each',
    'gemini',
    answering(
      'generate',
      eventsOf('generate').flatMap((event, at) => [event, onlyUsage[at] ?? event]),
    ),
  ],
  ['once, after the end', 'bedrock with nova', answering('converse', eventsOf('converse'))],
  [
    'twice, after the end',
    'bedrock with nova',
    answering('converse', repeated('converse', { metadata: 2, messageStop: 2 })),
  ],
]

describe('F52 counts come more than once, or grow from event to event', () => {
  overServers(mount => {
    it.each(answers)('%s (%s): they count once', async (_, vendor, script) => {
      const upstream = await upstreamDuring(script)
      const m = oneOfEachWire[vendor]!.at(upstream.url)
      const { site, end: ended, leases } = await startService(mount, { models: { m } })
      const options = { stream: true, stream_options: { include_usage: true } }
      const told = await readSse((await site.chat({ model: 'm', ...options })).bytes)
      expect([told.text, told.done]).toEqual(['one two three', true])
      const usages = told.chunks.flatMap(chunk => chunk.usage ?? [])
      expect(usages).toEqual([expect.objectContaining(counted)])
      expect(told.chunks.at(-1)?.choices).toEqual([])
      expect(usages[0]?.prompt_tokens_details.cached_tokens).toBe(2)
      const record = await ended()
      expect(record).toMatchObject({ usage: usages[0], usageEstimated: false })
      expect(leases.settled).toEqual([usages[0]])
    })

    it.each([
      ['anthropic', 'messages'],
      ['gemini', 'generate'],
    ] as const)('of %s that broke off, one token at its start is not taken for all', async (vendor, wire) => {
      const text = 'one two three '.repeat(20)
      const { events, end: last } = framedAnswer(wire, { ...threeWords, text })
      const upstream = await upstreamDuring([answering(wire, events.slice(0, last - 2)), steps.end()])
      const m = oneOfEachWire[vendor]!.at(upstream.url)
      const { site, end: ended, leases } = await startService(mount, { models: { m } })
      const told = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect(told.done).toBe(false)
      const record = await ended()
      expect(record).toMatchObject({ outcome: 'upstream_failed', usageEstimated: true })
      expect(record.usage).toMatchObject({
        prompt_tokens: 9,
        completion_tokens: Math.ceil(told.text.length / 4),
      })
      expect(leases.settled).toEqual([record.usage])
    })
  })
})
