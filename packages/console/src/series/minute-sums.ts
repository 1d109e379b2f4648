import type { EndEvent } from '@sluice/core'
import { Latencies } from './latencies.ts'

/** Sums over the requests of one line that ended in one minute. */
export class MinuteSums {
  requests = 0
  errors = 0
  promptTokens = 0
  completionTokens = 0
  /** US dollars. */
  cost = 0
  /** How many used something that has no price. */
  unpriced = 0
  /** To the end of answers that came to it. */
  readonly total = new Latencies()
  readonly firstByte = new Latencies()

  add({ outcome, usage, cost, timings }: EndEvent): void {
    this.requests++
    if (outcome === 'completed') this.total.add(timings.total)
    else if (outcome !== 'client_disconnected') this.errors++
    if (timings.firstByte !== undefined) this.firstByte.add(timings.firstByte)
    if (usage !== undefined) {
      this.promptTokens += usage.prompt_tokens
      this.completionTokens += usage.completion_tokens
      if (cost === null) this.unpriced++
    }
    if (cost !== null) this.cost += cost
  }

  addAll(other: MinuteSums): void {
    this.requests += other.requests
    this.errors += other.errors
    this.promptTokens += other.promptTokens
    this.completionTokens += other.completionTokens
    this.cost += other.cost
    this.unpriced += other.unpriced
    this.total.addAll(other.total)
    this.firstByte.addAll(other.firstByte)
  }
}
