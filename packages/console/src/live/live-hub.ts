import { GatewayError } from '@sluice/core'
import type { RequestRow, TargetChange } from '../api.ts'
import { LiveReader } from './live-reader.ts'

const mostReaders = 16
/** How often it is looked whether the gateway closes. */
const lookMs = 1_000
const looksForBeat = 15

/** Those who listen to what happens. */
export interface LiveHub {
  /** Whether anybody does: if not, nothing has to be made for them. */
  readonly heard: boolean
  request(row: RequestRow): void
  target(change: TargetChange): void
  /**
   * Somebody else listens: until `signal` aborts, the stream is cancelled, `goesOn` says no, or the hub is closed.
   * Throws 503 where 16 listen already.
   */
  listen(signal: AbortSignal, goesOn: () => boolean): ReadableStream<Uint8Array>
  close(): void
}

/** No timer runs while nobody listens. */
export function liveHub(): LiveHub {
  const readers = new Map<LiveReader, () => boolean>()
  let timer: ReturnType<typeof setInterval> | undefined
  let looks = 0

  const look = () => {
    const beats = ++looks % looksForBeat === 0
    for (const [reader, goesOn] of [...readers]) {
      if (!goesOn()) reader.close()
      else if (beats) reader.beat()
    }
  }
  return {
    get heard() {
      return readers.size > 0
    },
    request(row) {
      for (const reader of readers.keys()) reader.request(row)
    },
    target(change) {
      for (const reader of readers.keys()) reader.target(change)
    },
    listen(signal, goesOn) {
      if (readers.size >= mostReaders) {
        throw new GatewayError('service_overloaded', {
          message: `${mostReaders} pages listen to the console already. Close one of them.`,
        })
      }
      const leave = () => reader.close()
      const reader = new LiveReader(() => {
        signal.removeEventListener('abort', leave)
        readers.delete(reader)
        if (readers.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      readers.set(reader, goesOn)
      timer ??= setInterval(look, lookMs)
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      return reader.stream
    },
    close() {
      for (const reader of [...readers.keys()]) reader.close()
    },
  }
}
