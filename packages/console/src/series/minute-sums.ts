import type { EndEvent } from '@sluice/core'
import { Latencies, type LatenciesSnapshot } from './latencies.ts'

/** Sums as a value of JSON. */
export interface MinuteSumsSnapshot {
  readonly counts: readonly [number, number, number, number, number, number]
  readonly total: LatenciesSnapshot
  readonly firstByte: LatenciesSnapshot
}

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

  snapshot(): MinuteSumsSnapshot {
    const { requests, errors, promptTokens, completionTokens, cost, unpriced } = this
    return {
      counts: [requests, errors, promptTokens, completionTokens, cost, unpriced],
      total: this.total.snapshot(),
      firstByte: this.firstByte.snapshot(),
    }
  }

  addSnapshot({ counts, total, firstByte }: MinuteSumsSnapshot): void {
    const [requests, errors, promptTokens, completionTokens, cost, unpriced] = counts
    this.requests += requests
    this.errors += errors
    this.promptTokens += promptTokens
    this.completionTokens += completionTokens
    this.cost += cost
    this.unpriced += unpriced
    this.total.addSnapshot(total)
    this.firstByte.addSnapshot(firstByte)
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
