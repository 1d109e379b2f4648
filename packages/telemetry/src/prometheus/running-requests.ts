import type { BeginEvent, EndEvent } from '@sluice/core'
import { seconds } from './count-request.ts'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'

type RequestLabels = { readonly operation: string; readonly dialect: string; readonly model: string }

/** The requests in flight. */
export class RunningRequests {
  /** The labels of each, by its id. */
  readonly #labelsById = new Map<string, RequestLabels>()
  readonly #metrics: Instruments
  readonly #labels: Labels

  constructor(metrics: Instruments, labels: Labels) {
    this.#metrics = metrics
    this.#labels = labels
  }

  begin(event: BeginEvent): void {
    const { requestId } = event
    // Generated ids of a user's own may repeat: count each id once.
    if (this.#labelsById.has(requestId)) return
    const labels = { ...this.#labels.operation(event), model: this.#labels.model(event.model) }
    this.#labelsById.set(requestId, labels)
    this.#metrics.inFlight.inc(labels)
  }

  /** Ignores requests that never began. */
  end({ requestId, timings }: EndEvent): void {
    const labels = this.#labelsById.get(requestId)
    if (labels === undefined) return
    this.#labelsById.delete(requestId)
    this.#metrics.inFlight.dec(labels)
    this.#metrics.queueWait.observe(labels, seconds(timings.queue))
  }
}
