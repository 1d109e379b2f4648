import { GatewayError } from '@sluice/core'
import type { RequestRow, TargetChange } from '../api.ts'
import { LiveReader } from './live-reader.ts'

const maxReaders = 16
/** How often it is looked whether the gateway closes. */
const checkMs = 1_000
const checksPerBeat = 15

/** Those who listen to what happens. */
export interface LiveHub {
  /** Whether anybody does: if not, nothing has to be made for them. */
  readonly hasReaders: boolean
  request(row: RequestRow): void
  target(change: TargetChange): void
  /**
   * Somebody else listens: until `signal` aborts, the stream is cancelled, `goesOn` says no, or the hub is closed.
   * Throws 503 where 16 listen already.
   */
  listen(signal: AbortSignal, isOpen: () => boolean): ReadableStream<Uint8Array>
  close(): void
}

/** No timer runs while nobody listens. */
export function liveHub(): LiveHub {
  const readers = new Map<LiveReader, () => boolean>()
  let timer: ReturnType<typeof setInterval> | undefined
  let checks = 0

  const check = () => {
    const beats = ++checks % checksPerBeat === 0
    for (const [reader, isOpen] of [...readers]) {
      if (!isOpen()) reader.close()
      else if (beats) reader.beat()
    }
  }
  return {
    get hasReaders() {
      return readers.size > 0
    },
    request(row) {
      for (const reader of readers.keys()) reader.request(row)
    },
    target(change) {
      for (const reader of readers.keys()) reader.target(change)
    },
    listen(signal, isOpen) {
      if (readers.size >= maxReaders) {
        throw new GatewayError('service_overloaded', {
          message: `${maxReaders} pages listen to the console already. Close one of them.`,
        })
      }
      const close = () => reader.close()
      const reader = new LiveReader(() => {
        signal.removeEventListener('abort', close)
        readers.delete(reader)
        if (readers.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      readers.set(reader, isOpen)
      timer ??= setInterval(check, checkMs)
      signal.addEventListener('abort', close)
      if (signal.aborted) close()
      return reader.stream
    },
    close() {
      for (const reader of [...readers.keys()]) reader.close()
    },
  }
}
