import type { Clock, Timer } from '../../clock/clock.ts'
import type { ChunkBatch, PartialChunk } from '../../contracts/provider.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { ChunkSource } from '../call-context.ts'

type Read = Promise<IteratorResult<ChunkBatch>>

/** How many reads without content are buffered. */
const maxReads = 256

/** Receives a stream's first content, or its end where it has none. */
export interface ContentListener {
  contentArrived(): void
}

/** A stream whose beginning was read already. It reports its first content. */
export class PeekedStream implements ChunkSource {
  readonly #source: ChunkSource
  readonly #listener: ContentListener
  readonly #waiting: Read[] = []
  #begun = false

  constructor(source: ChunkSource, listener: ContentListener) {
    this.#source = source
    this.#listener = listener
  }

  /**
   * Waits for the first content, so that an error before it is a failed attempt and not a broken response. Waits at most
   * `holdMs`, or without a limit if it is `undefined`.
   */
  async hold(clock: Clock, holdMs: number | undefined): Promise<void> {
    let timer: Timer | undefined
    const patience =
      holdMs === undefined
        ? undefined
        : new Promise<undefined>(resolve => {
            timer = clock.setTimer(holdMs, () => resolve(undefined))
          })
    let choice = false
    try {
      while (!this.#begun && this.#waiting.length < maxReads) {
        const read = this.#source.next()
        this.#waiting.push(read)
        const result = await (patience === undefined ? read : Promise.race([read, patience]))
        if (result === undefined) {
          this.#waiting.pop()
          const watched = this.#watch(read)
          // It may fail before its result is read.
          watched.catch(() => {})
          this.#waiting.push(watched)
          return
        }
        if (result.done === true && !choice) throw withoutChoice()
        choice ||= result.done !== true && result.value.some(({ choices }) => choices.length > 0)
        this.#look(result)
      }
    } finally {
      timer?.cancel()
    }
  }

  next(): Read {
    const held = this.#waiting.shift()
    if (held !== undefined) return held
    return this.#begun ? this.#source.next() : this.#watch(this.#source.next())
  }

  get native(): boolean {
    return this.#source.native === true
  }

  return(): Promise<IteratorResult<ChunkBatch>> {
    return this.#source.return?.() ?? Promise.resolve({ done: true, value: undefined })
  }

  async #watch(read: Read): Read {
    const result = await read
    this.#look(result)
    return result
  }

  #look(result: IteratorResult<ChunkBatch>): void {
    if (this.#begun || (result.done !== true && !result.value.some(hasContent))) return
    this.#begun = true
    this.#listener.contentArrived()
  }
}

/** Returns the error of an upstream that ended its response without a choice. */
export function withoutChoice(): UpstreamError {
  return new UpstreamError('The upstream ended its answer without a choice.', { kind: 'garbled' })
}

function hasContent(chunk: PartialChunk): boolean {
  return chunk.choices.some(({ delta, finish_reason }) => {
    if (finish_reason != null || delta.tool_calls !== undefined || delta.function_call !== undefined)
      return true
    if (delta.reasoning_content !== undefined || delta.audio !== undefined) return true
    return Boolean(delta.content) || Boolean(delta.refusal)
  })
}
