import type { Expected } from '../../expected.ts'
import { told, within } from '../../told.ts'
import { jsonOf } from '../json-of.ts'

export const errors = 'Messages API, Errors'
export const streaming = 'Messages API, Streaming'
export const stops = 'Messages API, Handling stop reasons'

type Json = Record<string, unknown>

/** One event as the vendor frames it. */
export function event(type: string, data: Json = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

export const usage = { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
export const message = { id: 'msg_handmade', type: 'message', role: 'assistant', model: 'claude-haiku-4-5' }
export const start = event('message_start', {
  message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
})
export const ping = event('ping')
export const open = (index: number, content_block: Json) =>
  event('content_block_start', { index, content_block })
export const delta = (index: number, of: Json) => event('content_block_delta', { index, delta: of })
export const close = (index: number) => event('content_block_stop', { index })
export const text = (index: number, ...pieces: string[]) => [
  open(index, { type: 'text', text: '' }),
  ...pieces.map(piece => delta(index, { type: 'text_delta', text: piece })),
  close(index),
]
export const ending = (stop_reason: string | null, of: Json = {}, output_tokens = 7) => [
  event('message_delta', {
    delta: { stop_reason, stop_sequence: null, ...of },
    usage: { ...usage, output_tokens },
  }),
  event('message_stop'),
]
export const failure = (type: string, words: string) => ({ type: 'error', error: { type, message: words } })
export const failing = (type: string, words: string) =>
  `event: error\ndata: ${JSON.stringify(failure(type, words))}\n\n`
export const whole = (content: readonly Json[], stop_reason: string, of: Json = {}) =>
  jsonOf({
    ...message,
    content,
    stop_reason,
    stop_sequence: null,
    ...of,
    usage: { ...usage, output_tokens: 7 },
  })
export const counts = { prompt: 11, completion: 7 }
export const said = (words: string, finish = 'stop'): Expected => ({
  choices: [{ text: words, finish }],
  usage: counts,
})
/** What broke off after these words. */
export const broken = (words: string, error: Expected['error'] = within(told.failed)): Expected => ({
  choices: [{ text: words }],
  ...(error === undefined ? {} : { error }),
})
