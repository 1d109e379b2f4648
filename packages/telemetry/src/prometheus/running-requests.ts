import type { BeginEvent, EndEvent } from '@sluice/core'
import { seconds } from './count-request.ts'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'

/** The requests in flight. */
export class RunningRequests {
  /** The label of each one's model, by its id. */
  readonly #models = new Map<string, string>()
  readonly #metrics: Instruments
  readonly #labels: Labels

  constructor(metrics: Instruments, labels: Labels) {
    this.#metrics = metrics
    this.#labels = labels
  }

  begin({ requestId, model }: BeginEvent): void {
    // Generated ids of a user's own may repeat: count each id once.
    if (this.#models.has(requestId)) return
    const label = this.#labels.model(model)
    this.#models.set(requestId, label)
    this.#metrics.inFlight.inc({ model: label })
  }

  /** Ignores requests that never began. */
  end({ requestId, timings }: EndEvent): void {
    const model = this.#models.get(requestId)
    if (model === undefined) return
    this.#models.delete(requestId)
    this.#metrics.inFlight.dec({ model })
    this.#metrics.queueWait.observe({ model }, seconds(timings.queue))
  }
}
