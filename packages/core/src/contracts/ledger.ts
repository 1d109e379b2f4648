import type { RequestOutcome } from './events.ts'

/**
 * What a record is of: a `request`; or a call beside one, whose answer its caller did not get: the one of a `hedge` that
 * was slower, a `shadow`, or one given up by a `timeout` before another target was asked.
 */
export type RecordKind = 'request' | 'hedge' | 'shadow' | 'timeout'

/** What is kept of an admitted request before its model is asked. */
export interface LedgerEntry {
  /** Absent: a request. */
  readonly kind?: RecordKind
  /** UUID version 7, made by the gateway: no caller can name it. */
  readonly id: string
  /** The request's, also of a call beside it. */
  readonly requestId: string
  /** The principal's id. */
  readonly principal: string
  readonly tags: Readonly<Record<string, string>>
  /** The name that the caller used, of a model that the gateway knows. */
  readonly model: string
  readonly stream: boolean
  /** Milliseconds since 1970. */
  readonly openedAt: number
  /** The estimate that is charged where nothing else is ever known of the request: its prompt. */
  readonly estimate: Charge
}

/** What a request used, and what that costs. */
export interface Charge {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
  /** US dollars; `null` where no price is known. */
  readonly cost: number | null
}

/** How a request ended. */
export interface LedgerClosing {
  /** As it was opened: a closing whose opening was lost makes the whole record. */
  readonly entry: LedgerEntry
  /** Milliseconds since 1970. */
  readonly closedAt: number
  readonly outcome: RequestOutcome
  readonly status: number
  /** Who answered, and the upstream's own name for the model; `undefined` where nobody did. */
  readonly provider: string | undefined
  readonly upstreamModel: string | undefined
  /** The model that the answer names; `undefined` where it names none. One line of at most 200 characters. */
  readonly responseModel: string | undefined
  /** How many upstreams were asked. */
  readonly attempts: number
  /** `undefined` where no upstream took the request: it is charged nothing. */
  readonly charge: Charge | undefined
  /** Whether the charge rests on an estimate, not on the vendor's counts. */
  readonly estimated: boolean
  /** Milliseconds from the request to the first byte of the answer, and to its end. */
  readonly firstByteMs: number | undefined
  readonly totalMs: number
}

/**
 * The record of every admitted request: opened before the upstream is asked, closed once. What a crash leaves open
 * is closed as estimated by whoever finds it.
 */
export interface Ledger {
  /**
   * Resolves when the entry is kept. Where it rejects, a request that spends from a budget is refused (503).
   * `progress` tells what the request has used so far, for a record that survives a crash.
   */
  open(entry: LedgerEntry, progress: () => Charge | undefined): void | Promise<void>
  /**
   * Resolves when the closing is kept. Called once for each entry that was opened, when `open` has come to its end or
   * has taken longer than `timeouts.policyMs`; also where it rejected.
   */
  close(closing: LedgerClosing): void | Promise<void>
  /**
   * Called in place of `close` for an entry that could not be kept and whose request was refused for that: there should be
   * no record of it later. Resolves when that is so, as far as it can be. Absent: `close` is called, with a refusal that
   * has used nothing.
   */
  cancel?(entry: LedgerEntry): void | Promise<void>
  /**
   * Keeps a call whose answer nobody got, once it has ended: an entry of another kind than `request`, which was never
   * opened, and its closing. It costs money, but it is not what the caller used. Resolves when it is kept; called after
   * the request's own `close` at times. Absent: such calls are not kept.
   */
  discarded?(closing: LedgerClosing): void | Promise<void>
  /** Resolves when all that was given is kept, as far as it can be: `gateway.close` waits for it. */
  flush?(): void | Promise<void>
}

/** What usage is told by. `tag:team` is the value of that tag. */
export type UsageDimension = 'key' | 'model' | 'provider' | 'day' | 'kind' | `tag:${string}`

export interface UsageQuery {
  /** One row for each combination. Empty: one row for all. */
  readonly by: readonly UsageDimension[]
  /** From this moment on, by when requests were opened: milliseconds since 1970 or a `Date`. Absent: from the first. */
  readonly from?: number | Date
  /** Up to, but not including, this moment. Absent: to the last. */
  readonly to?: number | Date
  /** Only what matches all of it. Absent: all requests. */
  readonly where?: UsageFilter
}

/**
 * What a request has to match, exactly. A member that is `undefined` is refused: one that was forgotten would ask for
 * everybody's use.
 */
export interface UsageFilter {
  /** The principal's id. */
  readonly key?: string
  readonly model?: string
  readonly provider?: string
  /** Values by the names of their tags, at most 8. */
  readonly tags?: Readonly<Record<string, string>>
  /** What is counted: `'shadow'`, or several, such as `['hedge', 'shadow']`. Absent: requests alone. */
  readonly kind?: RecordKind | readonly RecordKind[]
}

/** Sums over requests, or over what `where.kind` says in their place. What is still open is in `requests` and `open`, and in no other sum. */
export interface UsageRow {
  /** By dimension: `{ key: 'ann', day: '2026-11-21' }` (UTC). `null` where a request has none. */
  readonly by: Readonly<Partial<Record<UsageDimension, string | null>>>
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
  /** US dollars, of the requests that have a price. */
  readonly cost: number
  /** How many requests used something that has no price. */
  readonly unpriced: number
  /** How many rest on an estimate. */
  readonly estimated: number
  /** How many are still open. */
  readonly open: number
}
