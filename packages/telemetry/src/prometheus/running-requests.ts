import type { BeginEvent, EndEvent } from '@sluice/core'
import { isCalled, seconds } from './count-request.ts'
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
    const labels = { ...this.#labels.operation(event), model: this.#labels.model(event, false) }
    this.#labelsById.set(requestId, labels)
    this.#metrics.inFlight.inc(labels)
  }

  /** Ignores requests that never began. */
  end(event: EndEvent): void {
    const { requestId, timings } = event
    const labels = this.#labelsById.get(requestId)
    if (labels === undefined) return
    this.#labelsById.delete(requestId)
    this.#metrics.inFlight.dec(labels)
    // A name that the route does not list may have a value of its own by now.
    const model = this.#labels.model(event, isCalled(event))
    this.#metrics.queueWait.observe({ ...labels, model }, seconds(timings.queue))
  }
}
