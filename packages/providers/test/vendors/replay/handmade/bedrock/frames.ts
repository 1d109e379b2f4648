import { eventFrame } from '../../event-frames.ts'
import type { Expected, ExpectedError } from '../../expected.ts'
import type { Sent } from '../../replaying.ts'
import { told, within } from '../../told.ts'
import { jsonOf } from '../json-of.ts'

export const errors = 'Converse API, Errors, and the model of the service'
export const streaming = 'ConverseStream API, Response syntax'
export const stops = 'Converse API, stopReason'

type Json = Record<string, unknown>

/** Frames as a stream. */
export function streamOf(frames: readonly Uint8Array[], end?: Sent['end']): Sent {
  return {
    status: 200,
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    bytes: Buffer.concat(frames),
    ...(end === undefined ? {} : { end }),
  }
}

export const start = eventFrame('messageStart', { p: 'abcd', role: 'assistant' })
export const delta = (contentBlockIndex: number, of: Json) =>
  eventFrame('contentBlockDelta', { contentBlockIndex, delta: of, p: 'abcdefghij' })
export const open = (contentBlockIndex: number, of: Json) =>
  eventFrame('contentBlockStart', { contentBlockIndex, start: of, p: 'ab' })
export const close = (contentBlockIndex: number) =>
  eventFrame('contentBlockStop', { contentBlockIndex, p: 'a' })
export const text = (index: number, ...pieces: string[]) => [
  ...pieces.map(piece => delta(index, { text: piece })),
  close(index),
]
export const spent = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
export const ending = (stopReason: string, usage: Json = spent) => [
  eventFrame('messageStop', { p: 'abc', stopReason }),
  eventFrame('metadata', { metrics: { latencyMs: 5 }, p: 'abcdef', usage }),
]
export const counts = { prompt: 11, completion: 7 }
export const said = (words: string, finish = 'stop'): Expected => ({
  choices: [{ text: words, finish }],
  usage: counts,
})
/** What broke off after these words. */
export const broken = (words: string, error: ExpectedError = within(told.failed)): Expected => ({
  choices: [{ text: words }],
  error,
})
export const whole = (content: readonly Json[], stopReason: string, usage: Json = spent) =>
  jsonOf({
    metrics: { latencyMs: 5 },
    output: { message: { content, role: 'assistant' } },
    stopReason,
    usage,
  })
