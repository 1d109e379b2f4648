import type { CallEnd, ChargedTarget, HistoryListener, HistoryRecord } from './history.ts'
import { LatencyHistogram } from './latency-histogram.ts'

/** Sums of the calls of one target. */
export interface TargetReport {
  readonly provider: string
  readonly model: string
  /** Calls by how they ended. */
  readonly calls: Readonly<Record<CallEnd, number>>
  /** Tokens that the upstream bills. */
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What a simulation came to, as clients and upstreams saw it. Times are in milliseconds. */
export interface SimulationReport {
  /** Requests of clients, without their retries. */
  readonly requests: number
  /** Requests with the clients' retries. */
  readonly attempts: number
  /** Requests whose last attempt was answered to its end. */
  readonly completed: number
  /** Requests whose last attempt failed. */
  readonly failed: number
  /** Requests whose client gave up. */
  readonly disconnected: number
  /** Share of requests that failed, without those whose client gave up. */
  readonly errorRate: number
  /** Answered requests per second, until the last one ended. */
  readonly throughput: number
  /** Of answered attempts: until the first byte, and until the end. */
  readonly firstMs: { readonly p50: number; readonly p99: number }
  readonly totalMs: { readonly p50: number; readonly p99: number }
  /**
   * US dollars by the gateways' prices, of requests and of discarded calls with a known price. A gateway reports nothing of
   * requests that its crash ends.
   */
  readonly spend: number
  /** Charges that `spend` does not have, because their price is unknown: their number by `provider/model`. */
  readonly unpriced: Readonly<Record<string, number>>
  /** Failed attempts by status. */
  readonly failures: Readonly<Record<string, number>>
  /** Attempts with 429 by the id of the API key. */
  readonly rateLimited: Readonly<Record<string, number>>
  readonly targets: readonly TargetReport[]
}

/** The name of a failure. */
function nameOf(status: number): string {
  if (status === 0) return 'no response'
  return status === 200 ? 'cut off' : String(status)
}

/** Sums up the history of a simulation. Pass it in `listeners`. */
export class SimulationSummary implements HistoryListener {
  #requests = 0
  #attempts = 0
  readonly #ends = { completed: 0, failed: 0, disconnected: 0 }
  readonly #firstMs = new LatencyHistogram()
  readonly #totalMs = new LatencyHistogram()
  #spend = 0
  readonly #unpriced = new Map<string, number>()
  #endedAt = 0
  readonly #failures = new Map<string, number>()
  readonly #rateLimited = new Map<string, number>()
  readonly #targets = new Map<
    string,
    {
      provider: string
      model: string
      calls: Record<CallEnd, number>
      promptTokens: number
      completionTokens: number
    }
  >()

  record(record: HistoryRecord): void {
    if (record.type === 'request') {
      const { attempt, at, ms, firstMs, status, end, key } = record
      this.#attempts++
      if (attempt === 0) this.#requests++
      // Only a failed attempt is retried: the end of the retry replaces its own.
      else this.#ends.failed--
      this.#ends[end]++
      this.#endedAt = Math.max(this.#endedAt, at + ms)
      if (end === 'completed') {
        this.#firstMs.add(firstMs ?? ms)
        this.#totalMs.add(ms)
      } else if (end === 'failed') {
        const name = nameOf(status)
        this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1)
        if (status === 429) this.#rateLimited.set(key, (this.#rateLimited.get(key) ?? 0) + 1)
      }
    } else if (record.type === 'call') {
      const { provider, model, end, promptTokens, completionTokens } = record
      const name = `${provider}/${model}`
      const known = this.#targets.get(name) ?? {
        provider,
        model,
        calls: { completed: 0, refused: 0, unreachable: 0, cut: 0, cancelled: 0 },
        promptTokens: 0,
        completionTokens: 0,
      }
      this.#targets.set(name, known)
      known.calls[end]++
      known.promptTokens += promptTokens
      known.completionTokens += completionTokens
    }
  }

  charged(cost: number): void {
    this.#spend += cost
  }

  unpriced({ provider, model }: ChargedTarget): void {
    const name = `${provider}/${model}`
    this.#unpriced.set(name, (this.#unpriced.get(name) ?? 0) + 1)
  }

  /** Returns the sums. Call it when the simulation has ended. */
  report(): SimulationReport {
    const { completed, failed, disconnected } = this.#ends
    const percentiles = (of: LatencyHistogram) => ({ p50: of.percentile(0.5), p99: of.percentile(0.99) })
    const sorted = (counts: ReadonlyMap<string, number>) =>
      Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
    return {
      requests: this.#requests,
      attempts: this.#attempts,
      completed,
      failed,
      disconnected,
      errorRate: completed + failed === 0 ? 0 : failed / (completed + failed),
      throughput: this.#endedAt === 0 ? 0 : completed / (this.#endedAt / 1_000),
      firstMs: percentiles(this.#firstMs),
      totalMs: percentiles(this.#totalMs),
      spend: this.#spend,
      unpriced: sorted(this.#unpriced),
      failures: sorted(this.#failures),
      rateLimited: sorted(this.#rateLimited),
      targets: [...this.#targets.values()].sort((one, other) =>
        `${one.provider}/${one.model}` < `${other.provider}/${other.model}` ? -1 : 1,
      ),
    }
  }
}
