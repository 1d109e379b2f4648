import type { Timeouts } from '../config.ts'
import { GatewayError, UpstreamError, type UpstreamFailure } from '../errors.ts'
import type { Lifetime } from '../lifetime.ts'
import type { Call, PartialChunk, PartialCompletion, Provider } from '../provider.ts'
import type { Transport } from '../transport.ts'
import { Deadlines } from './deadlines.ts'
import { type Release, type Slots, slotsOf } from './slots.ts'
import { watched } from './watched-response.ts'

/** What one attempt needs from outside. */
export interface AttemptWorld {
  readonly transport: Transport
  readonly timeouts: Timeouts
  /** Monotonic milliseconds. */
  readonly clock: () => number
}

/** Thrown where the request's life ended under way. */
export class LifeEnded extends Error {}

/**
 * One call to one upstream: its slot, its connection and its deadlines, all given back by `end`, whatever
 * happened.
 */
export class Attempt {
  readonly #lifetime: Lifetime
  readonly #world: AttemptWorld
  readonly #controller = new AbortController()
  readonly #deadlines: Deadlines
  readonly #onLifeEnd = () => this.#abort(new LifeEnded())
  #leaveQueue: ((reason: Error) => void) | undefined
  #release: Release | undefined

  constructor(lifetime: Lifetime, world: AttemptWorld, totalAt: number) {
    this.#lifetime = lifetime
    this.#world = world
    this.#deadlines = new Deadlines(world.timeouts, totalAt, world.clock, error => this.#abort(error))
  }

  /** Asks the upstream. What it rejects with, `end` has to be called after it. */
  async run(
    provider: Provider,
    call: Call,
  ): Promise<PartialCompletion | AsyncIterator<readonly PartialChunk[]>> {
    const { signal } = this.#controller
    this.#lifetime.onEnd(this.#onLifeEnd)
    signal.throwIfAborted()
    this.#deadlines.begin()
    const slots = slotsOf(provider)
    if (slots !== undefined) await this.#takeSlot(slots)
    const request = await provider.encode(call)
    signal.throwIfAborted()
    this.#deadlines.start()
    const transport = provider.transport ?? this.#world.transport
    const response = await transport(request, signal).catch(error => this.#fail(error, 'unreachable'))
    this.#deadlines.answered()
    try {
      const reply = await provider.decode(watched(response, this.#deadlines), call)
      return reply.kind === 'completion' ? reply.completion : this.#read(reply.chunks[Symbol.asyncIterator]())
    } catch (error) {
      return this.#fail(error, 'garbled')
    }
  }

  /** Gives everything back. An answer that was not read to its own end is cut off. */
  end(completed: boolean): void {
    this.#deadlines.stop()
    this.#lifetime.offEnd(this.#onLifeEnd)
    if (!completed) this.#controller.abort(new LifeEnded())
    this.#release?.()
    this.#release = undefined
  }

  #abort(reason: Error): void {
    this.#leaveQueue?.(reason)
    this.#controller.abort(reason)
  }

  #takeSlot(slots: Slots): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = slots.wait(release => {
        this.#leaveQueue = undefined
        this.#release = release
        resolve()
      })
      this.#leaveQueue = reason => {
        leave()
        reject(reason)
      }
    })
  }

  #read(chunks: AsyncIterator<readonly PartialChunk[]>): AsyncIterator<readonly PartialChunk[]> {
    const failed = (error: unknown): never => this.#fail(error, 'garbled')
    return {
      next: () => chunks.next().then(undefined, failed),
      return: async () => {
        await chunks.return?.()
        return { done: true, value: undefined }
      },
    }
  }

  /** An aborted call may fail in any words: the reason of the abort is what happened. */
  #fail(error: unknown, kind: UpstreamFailure): never {
    if (this.#controller.signal.aborted) throw this.#controller.signal.reason
    if (UpstreamError.is(error) || GatewayError.is(error)) throw error
    throw new UpstreamError('The upstream call failed.', { kind, cause: error })
  }
}

/** Whether a failure is worth another target: the fault is not the request's own. */
export function movesOn(error: unknown): boolean {
  if (!UpstreamError.is(error)) return false
  if (error.kind === 'total_timeout') return false
  if (error.kind !== 'refused') return true
  return error.status !== 400 && error.status !== 413 && error.status !== 422
}
