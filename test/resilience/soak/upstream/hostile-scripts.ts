import { chunks, sse } from '@sluice/testing'
import { type Exchange, pour, startStream } from './exchange.ts'

const mebibyte = 1024 * 1024

/** The events of a word in a stream, many times over, as bytes. */
function manyOf(word: string, times: number): Buffer {
  const [, event = ''] = sse(chunks({ text: word }))
  return Buffer.from(event.repeat(times))
}

const tiny = manyOf('x', 1_000)
const wordy = manyOf('word'.repeat(200), 64)
const ending = sse(chunks({ text: 'end' }))
  .slice(-2)
  .join('')

/** Answers that are meant to cost the gateway its breath. */
export const hostileScripts = {
  /** One event that never ends. */
  async 'endless-event'({ res }: Exchange) {
    startStream(res)
    res.write('data: {"choices":[{"index":0,"delta":{"content":"')
    await pour(res, Buffer.alloc(65_536, 'x'), 64 * mebibyte)
  },
  /** More than 5 MB of text; its reader leaves before the end. */
  async long({ res }: Exchange) {
    startStream(res)
    await pour(res, wordy, Number.POSITIVE_INFINITY)
  },
  /** A million events of one character each. */
  async 'tiny-events'({ res }: Exchange) {
    startStream(res)
    await pour(res, tiny, tiny.length * 1_000)
    res.end(ending)
  },
} as const
