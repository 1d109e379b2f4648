import { type Distribution, exponential, sampler } from './distribution.ts'
import { rangeAt, type TimeRange } from './time-range.ts'

/** A period in which a group of clients sends more, or less. */
export interface Burst extends TimeRange {
  /** What the rate is multiplied by, from 0. */
  readonly factor: number
}

/** How a client repeats a request that failed with 429 or 5xx, or without a response. */
export interface ClientRetries {
  /** Maximum number of retries of a request. */
  readonly max: number
  /** Maximum wait before the first retry, in milliseconds; it doubles with each, with full jitter. Default 500. */
  readonly baseMs?: number
  /** Maximum wait before any retry, in milliseconds. Default 8,000. */
  readonly maxMs?: number
  /** Whether it waits as long as `retry-after` says instead. Default `true`. */
  readonly obeysRetryAfter?: boolean
}

/** A request of a log, to be sent again at its time. */
export interface RecordedRequest {
  /** When it arrives, in milliseconds since the beginning. */
  readonly atMs: number
  /** The index of its key in `keys` of its group. */
  readonly key: number
  readonly model: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly stream: boolean
}

/** Clients that behave alike. Their requests arrive as a Poisson process. */
export interface ClientGroup {
  /** Default: `clients` and the number of the group. */
  readonly name?: string
  /** Requests per second, on average. */
  readonly rate: number
  /** Requests that arrive at their times instead, in order. Then `rate`, `models` and the distributions have no effect. */
  readonly recorded?: readonly RecordedRequest[]
  /** When they send, in milliseconds since the beginning. Default: as long as the traffic. */
  readonly fromMs?: number
  readonly toMs?: number
  /** The rate rises and falls as a sine: at most by this share of it, from 0 to 1, over a period in milliseconds. */
  readonly diurnal?: { readonly share: number; readonly periodMs: number }
  readonly bursts?: readonly Burst[]
  /** Their API keys. `id` names one in results. `weight`: how often it is used, relative to the others. Default 1. */
  readonly keys: readonly { readonly id: string; readonly key: string; readonly weight?: number }[]
  /** The models that they request, with their weights. */
  readonly models: readonly { readonly model: string; readonly weight?: number }[]
  /** The protocol of their requests. Default `chat`. */
  readonly dialect?: 'chat' | 'messages'
  /** Tokens of a prompt. Default: lognormal, median 400, p99 4,000. */
  readonly promptTokens?: Distribution
  /** Tokens that the model writes. Default: lognormal, median 200, p99 1,500. */
  readonly completionTokens?: Distribution
  /** The bound of the completion that a request has. Default: 4,096 for `messages`, which needs one; else none. */
  readonly maxTokens?: number
  /** Share of requests that are streamed, from 0 to 1. Default 0.5. */
  readonly streamed?: number
  /** Default: none. */
  readonly retries?: ClientRetries
  /** Clients that give up: a share of the requests, each after a time in milliseconds. Default: none. */
  readonly disconnects?: { readonly share: number; readonly afterMs: Distribution }
}

/** What arrives at the gateways. */
export interface Traffic {
  /** How long requests arrive, in milliseconds. */
  readonly durationMs: number
  /** Maximum number of requests, without the clients' retries. Default: unlimited. */
  readonly maxRequests?: number
  readonly clients: readonly ClientGroup[]
}

/** A request that a client is about to send. */
export interface PlannedRequest {
  readonly clients: string
  readonly group: ClientGroup
  readonly key: { readonly id: string; readonly key: string }
  readonly model: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly stream: boolean
  /** After how many milliseconds the client gives up; `undefined`: never. */
  readonly disconnectsAfterMs: number | undefined
}

/** Draws the arrivals of a group, and its requests. */
export class ClientArrivals {
  readonly #group: ClientGroup
  readonly #name: string
  readonly #random: () => number
  readonly #maxRate: number
  readonly #toMs: number
  readonly #key: () => PlannedRequest['key']
  readonly #model: () => string
  readonly #promptTokens: () => number
  readonly #completionTokens: () => number
  readonly #disconnectsAfterMs: () => number
  /** How many recorded requests have arrived. */
  #recorded = 0
  #now: number

  constructor(group: ClientGroup, index: number, durationMs: number, random: () => number) {
    this.#group = group
    this.#name = group.name ?? `clients ${index + 1}`
    this.#random = random
    this.#now = group.fromMs ?? 0
    this.#toMs = Math.min(group.toMs ?? durationMs, durationMs)
    const peak = Math.max(1, ...(group.bursts ?? []).map(({ factor }) => factor))
    this.#maxRate = group.rate * (1 + (group.diurnal?.share ?? 0)) * peak
    this.#key = weighted(group.keys, random)
    const model = weighted(group.models, random)
    this.#model = () => model().model
    this.#promptTokens = sampler(group.promptTokens ?? { lognormal: { median: 400, p99: 4_000 } }, random)
    this.#completionTokens = sampler(
      group.completionTokens ?? { lognormal: { median: 200, p99: 1_500 } },
      random,
    )
    this.#disconnectsAfterMs = sampler(group.disconnects?.afterMs ?? 0, random)
  }

  /** Returns when the next request arrives; `undefined`: none does. */
  next(): number | undefined {
    const { recorded } = this.#group
    if (recorded !== undefined) return recorded[this.#recorded]?.atMs
    if (this.#maxRate <= 0) return undefined
    // Thinning: of a process at the highest rate, arrivals are left out.
    for (;;) {
      this.#now += exponential(1_000 / this.#maxRate, this.#random)
      if (this.#now >= this.#toMs) return undefined
      if (this.#random() * this.#maxRate < this.#rateAt(this.#now)) return this.#now
    }
  }

  /** Draws the request that arrives now. */
  request(): PlannedRequest {
    const recorded = this.#group.recorded?.[this.#recorded++]
    return recorded === undefined ? this.#drawn() : this.#again(recorded)
  }

  #again({ key, atMs: _, ...request }: RecordedRequest): PlannedRequest {
    const { disconnects } = this.#group
    const [disconnect, disconnectsAfterMs] = [this.#random(), this.#disconnectsAfterMs()]
    return {
      clients: this.#name,
      group: this.#group,
      key: this.#group.keys[key]!,
      ...request,
      disconnectsAfterMs:
        disconnects !== undefined && disconnect < disconnects.share ? disconnectsAfterMs : undefined,
    }
  }

  #drawn(): PlannedRequest {
    const { streamed = 0.5, disconnects } = this.#group
    const [key, model] = [this.#key(), this.#model()]
    const [prompt, completion] = [this.#promptTokens(), this.#completionTokens()]
    const [stream, disconnect, disconnectsAfterMs] = [
      this.#random(),
      this.#random(),
      this.#disconnectsAfterMs(),
    ]
    return {
      clients: this.#name,
      group: this.#group,
      key,
      model,
      promptTokens: Math.max(1, Math.round(prompt)),
      completionTokens: Math.max(1, Math.round(completion)),
      stream: stream < streamed,
      disconnectsAfterMs:
        disconnects !== undefined && disconnect < disconnects.share ? disconnectsAfterMs : undefined,
    }
  }

  #rateAt(now: number): number {
    const { rate, diurnal, bursts } = this.#group
    const wave =
      diurnal === undefined ? 1 : 1 + diurnal.share * Math.sin((2 * Math.PI * now) / diurnal.periodMs)
    return rate * wave * (rangeAt(bursts, now)?.factor ?? 1)
  }
}

function weighted<Item extends { readonly weight?: number }>(
  items: readonly Item[],
  random: () => number,
): () => Item {
  const total = items.reduce((sum, { weight = 1 }) => sum + weight, 0)
  return () => {
    let left = random() * total
    for (const item of items) {
      left -= item.weight ?? 1
      if (left < 0) return item
    }
    return items.at(-1)!
  }
}
