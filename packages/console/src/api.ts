/**
 * The API between the console's page and its server: JSON under `{mount}/console/api`. Each request has the admin key as a
 * bearer token. Times are milliseconds since 1970, durations milliseconds, money US dollars.
 *
 * | | |
 * |---|---|
 * | `GET /about` | `About` |
 * | `GET /requests` | `{ requests: RequestRow[] }`, newest first, with those in flight; at most 500 |
 * | `GET /requests/{id}` | `RequestDetail` |
 * | `GET /log?key=&status=5xx&tag=team:search&from=&after=` | `LogPage`: rows of the request log, newest first; 404 without one |
 * | `GET /log/{id}` | `LoggedRequest` |
 * | `GET /log/{id}/bodies` | `LoggedBodies`: what is stored of the request and the response; 404 if nothing is |
 * | `POST /log/{id}/replay` | sends the stored request again, as the principal `console`: `ReplayedRequest`; 404 if `chat` of `About` is false |
 * | `GET /log.csv`, `GET /log.jsonl` | all rows that match the same parameters |
 * | `GET /live` | server-sent events: see `LiveEvents` |
 * | `GET /overview?minutes=60` | `Overview` of the last minutes, from this process's memory |
 * | `GET /overview/ledger?minutes=60` | `OverviewUsage` from the ledger; 404 without one |
 * | `GET /overview/log?minutes=60` | `OverviewLog` from the request log; 404 without one |
 * | `GET /overview/budgets` | `KeyBudgets` of the stored keys; 404 without keys |
 * | `GET /series?by=model&minutes=60` | `Series` |
 * | `GET /usage?by=model,day&from=&to=&key=&user=&tag=team:search` | `UsageAnswer` from the ledger; 404 without one |
 * | `GET /own-usage?by=model,day&from=&to=` | `UsageAnswer` of one caller, with its API key instead of the admin key; 404 unless `ownUsage` |
 * | `GET /routes` | `{ models: RouteRow[] }` |
 * | `POST /target-tests` | `{ model, provider, target }`: sends one short request to a target, as the principal `console`: `TargetTest`; 404 if `chat` of `About` is false |
 * | `GET /hooks` | `{ hooks: ConfiguredHook[] }` in their order; 404 if `hooks` of `About` is false |
 * | `GET /alerts` | `{ alerts: AlertRow[] }`, newest first; at most 100. 404 if `alerts` of `About` is false |
 * | `POST /chat` | the body and the response of chat completions, as the principal `console`; 404 if `chat` of `About` is false |
 * | `POST /messages`, `POST /responses` | the same in the Messages API and in the Responses API |
 * | `GET /keys`, `POST /keys` | `{ keys: KeyRow[] }`; `KeyForm` to `IssuedKeyRow` |
 * | `PATCH /keys/{id}`, `DELETE /keys/{id}` | `KeyChange` to `KeyRow`; 204 |
 * | `POST /keys/{id}/rotate` | `{ overlapMs: number }` to `IssuedKeyRow` |
 *
 * Errors have the error body of the chat completions API: `{ error: { message, type, param, code } }`. 401: the key is not
 * the admin key. 429, with `retry-after` in seconds: too many wrong keys within a minute; the correct key has to wait too.
 * 404: not found, or `keys`, `ledger`, `log`, `bodies`, `hooks`, `alerts` or `chat` of `About` is false. 503: the store of keys,
 * the ledger or the request log does not respond, or `/live` has too many readers. Request bodies are JSON with their
 * `content-type`, of at most 64 KiB; those of `/chat`, `/messages` and `/responses` have the limits of the gateway.
 */
import type {
  AttemptReason,
  HookRecord,
  Operation,
  RequestOutcome,
  SkipReason,
  TargetPrice,
} from '@sluice/core'
import type { KeyChanges, KeySpec, StoredKey } from '@sluice/core/keys'
import type { UsageRow } from '@sluice/core/ledger'
import type { LoggedRequest, RecordedBodies } from '@sluice/core/store'
import type { ConsoleAlert } from './console-alerts.ts'
import type { UsageAnswer } from './usage-rows.ts'

export type { HookRecord, LoggedRequest, UsageAnswer, UsageRow }

/** The gateway that the console belongs to, and what the console can do. */
export interface About {
  /**
   * The `basePath` of the gateway, relative to the mount of the page: `/v1`. Empty if the mount ends with it. The mount is not
   * part of it, because a proxy may change it.
   */
  readonly base: string
  readonly models: readonly string[]
  /** Whether the chat may call as the principal `console`; otherwise it needs the API key of a caller. */
  readonly chat: boolean
  /** Whether keys can be managed. */
  readonly keys: boolean
  /** Whether there is a ledger for usage. */
  readonly ledger: boolean
  /** Whether there is a request log in a database. */
  readonly log: boolean
  /** Whether bodies of requests are stored. */
  readonly bodies: boolean
  /** How long they are stored, in milliseconds; absent if that is not known. */
  readonly bodiesRetentionMs?: number
  /** Whether the configured hooks are known. */
  readonly hooks: boolean
  /** Whether there are alerts. */
  readonly alerts: boolean
  readonly startedAt: number
  /** The tag with the team of a principal. Usage by team is `by=tag:{teamTag}`. */
  readonly teamTag: string
}

/**
 * The server-sent events of `/live` by name; their data is JSON. No event is sent again: connect first, then fetch
 * `/requests` and `/routes`, and do so again after each reconnect. A comment is sent every 15 seconds. A slow reader gets
 * the newest state of each request and target, and `lost` if even that did not fit.
 */
export interface LiveEvents {
  /** A request has begun, changed or ended. */
  readonly request: RequestRow
  /** A target becomes unavailable, or available again. */
  readonly route: TargetChange
  /** The number of changes that were dropped: fetch `/requests` and `/routes` again. */
  readonly lost: { readonly changes: number }
}

/** A request: in flight, or ended. */
export interface RequestRow {
  readonly id: string
  readonly at: number
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  readonly model: string | undefined
  /** The id of the principal. If it is that of an issued key, `/keys` has its name. */
  readonly key: string | undefined
  /** The `source` of the principal: who issued its id. `console` for the console itself. */
  readonly source: string | undefined
  readonly team: string | undefined
  readonly stream: boolean
  /** How the request ended; `running` while it is in flight. */
  readonly outcome: RequestOutcome | 'running'
  readonly status: number | undefined
  readonly provider: string | undefined
  readonly firstByteMs: number | undefined
  readonly totalMs: number | undefined
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly cost: number | null
  /**
   * What the request failed with: the reason of a `GatewayError` (`rate_limit_exceeded`), or the kind of an `UpstreamError`
   * (`first_byte_timeout`).
   */
  readonly error: string | undefined
}

/** A request with its attempts and how it was routed. */
export interface RequestDetail extends RequestRow {
  /** The end user, as the caller names it; known when the request has ended. */
  readonly user: string | undefined
  readonly queueMs: number
  readonly overheadMs: number | undefined
  readonly attempts: readonly AttemptRow[]
  readonly candidates: readonly {
    readonly provider: string
    readonly model: string
    readonly via?: string
    readonly skipped?: SkippedRow
  }[]
  readonly cache: 'hit' | 'miss' | 'failed' | undefined
  readonly replayed: boolean
  readonly estimated: boolean
  /** What the hooks that applied did, in their order; at most 50. */
  readonly hooks: readonly HookRecord[]
  /** Such as `seed dropped: the vendor has no seed`; at most 50. */
  readonly adjustments: readonly string[]
  /** The `dryRun` rules that would have rejected the request, as source text. */
  readonly wouldHaveRefused: readonly string[]
  /** Its discarded calls: mirrored calls, and losers of hedges. Added when they end, which may be after the request. */
  readonly discarded: readonly DiscardedRow[]
  /** How many attempts, candidates, hooks, adjustments, rules and discarded calls are omitted from the lists, in total. */
  readonly leftOut: number
}

/** The stored bodies of a request. */
export interface LoggedBodies extends RecordedBodies {
  /** The text of the response: that of its message; of a stream it is joined. `null`: none was sent. */
  readonly text: string | null
}

/** A request that was sent again. */
export interface ReplayedRequest {
  readonly status: number
  /** The body of the response, as in `LoggedBodies`. */
  readonly response: string
  readonly text: string
  /** The new request with its target, tokens, cost and times; absent if it was rejected early. */
  readonly request?: RequestDetail
}

/** A page of the request log. */
export interface LogPage {
  /** Newest first. */
  readonly rows: readonly LoggedRequest[]
  /** The parameter `after` of the next page; absent on the last one. */
  readonly next?: string
}

/** An attempt: one try at one target. See `AttemptRecord` of `@sluice/core`. */
export interface AttemptRow {
  readonly provider: string
  readonly model: string
  /** The label or position of the provider's key, if it has several. */
  readonly key?: string
  readonly why: AttemptReason
  readonly called: boolean
  readonly startMs: number
  /** Duration until its first content, or its failure. */
  readonly ms: number
  readonly waitedMs: number
  readonly status: number | undefined
  /** What the attempt failed with, as in `RequestRow`; never the vendor's message. */
  readonly error: string | undefined
}

/** A discarded call: an upstream call whose response the client did not get. It may cost money. */
export interface DiscardedRow extends AttemptRow {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly cost: number | null
}

/**
 * Sums per minute, oldest first; the last minute is not complete. There is a line for each of the 12 values with the most
 * requests, then one for requests without a value, then one for all other values. Requests count in the minute in which
 * they end. Percentiles are within 3 % of the true ones.
 */
export interface Series {
  readonly by: 'model' | 'key' | 'team' | 'all'
  /** When each minute began. */
  readonly at: readonly number[]
  readonly lines: readonly SeriesLine[]
}

/** The sums of one value, such as a model. Each list has one number per minute. */
export interface SeriesLine {
  /** The model, key or team. If `kind` is not `name`, it is a label for that kind. */
  readonly name: string
  /** For a key: the `source` of the principal, if it is known. */
  readonly source?: string
  /** `name`: one value. `none`: requests without a value. `other`: all other values. `all`: all requests. */
  readonly kind: 'name' | 'none' | 'other' | 'all'
  readonly requests: readonly number[]
  /** Rejected and failed requests, without those whose client disconnected. */
  readonly errors: readonly number[]
  readonly promptTokens: readonly number[]
  readonly completionTokens: readonly number[]
  readonly cost: readonly number[]
  /** Requests without a known price. */
  readonly unpriced: readonly number[]
  /** Median duration of complete responses; `null` if there are none. */
  readonly p50Ms: readonly (number | null)[]
  readonly p95Ms: readonly (number | null)[]
  readonly p99Ms: readonly (number | null)[]
  /** Median time to the first byte. */
  readonly firstByteP50Ms: readonly (number | null)[]
}

/** The requests of a period that ends now, as this process has them in memory: those that ended in it. */
export interface Overview {
  /** When the period began. */
  readonly from: number
  /** Since when there are sums. Later than `from` if the process started later, or keeps fewer minutes. */
  readonly since: number
  readonly usage: UsageSums
  /** Rejected and failed requests, without those whose client disconnected. */
  readonly errors: number
  readonly latency: LatencySums
  readonly parts: OverviewParts
  readonly top: TopUsage
  /** The budgets that requests were charged to since the process started: those of which most is spent, at most 8. */
  readonly budgets: readonly BudgetRow[]
  /** How many further budgets there are. */
  readonly moreBudgets: number
}

/** What requests used together. Money in US dollars, without what has no price. */
export interface UsageSums {
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cost: number
  /** Requests without a known price. */
  readonly unpriced: number
}

/** Percentiles of the duration of complete responses; `null` if there are none. Within 3 % of the true ones. */
export interface LatencySums {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  /** Median time to the first byte. */
  readonly firstByteP50Ms: number | null
}

/** Sums of the parts of a period, oldest first. Each list has one number per part; the last part is not complete. */
export interface OverviewParts {
  /** When each part began. */
  readonly at: readonly number[]
  readonly unit: 'minutes' | 'hours' | 'days'
  readonly requests: readonly number[]
  /** Absent if the source has none. */
  readonly errors?: readonly number[]
  readonly cost: readonly number[]
}

/** What the ledger has of a period that ends now. It has no rejected requests. Days are those of UTC. */
export interface OverviewUsage {
  readonly from: number
  readonly usage: UsageSums
  readonly parts: OverviewParts
  readonly top: TopUsage
}

/** The models and the keys that cost most, at most 5 of each; of those that cost the same, the ones with most requests. */
export interface TopUsage {
  readonly models: readonly NamedUsage[]
  readonly keys: readonly NamedUsage[]
}

/** What the requests of a model or a key used. */
export interface NamedUsage extends UsageSums {
  readonly name: string
  /** For a key: the `source` of the principal, if it is known. */
  readonly source?: string
}

/** What the request log has of a period that ends now. Of more than 2,000 requests only the newest are read. */
export interface OverviewLog {
  readonly from: number
  /** When the first of the requests arrived that were read: later than `from` if there are more. */
  readonly since: number
  readonly isSample: boolean
  /** How many requests were read. */
  readonly requests: number
  readonly errors: number
  readonly latency: LatencySums
  /** The latest requests that were rejected or failed, newest first, at most 8; without those whose client disconnected. */
  readonly failures: readonly LoggedRequest[]
}

/** A budget, as the last request left it that was charged to it. See `BudgetEvent` of `@sluice/core`. */
export interface BudgetRow {
  /** The rule as source text, such as `budget(50, 'usd').per('day')`. */
  readonly rule: string
  /** Who shares it, by scope. Empty: everybody. */
  readonly subject: Readonly<Record<string, string>>
  readonly window: 'hour' | 'day' | 'week' | 'month' | 'ever'
  /** US dollars. */
  readonly limit: number
  /** US dollars in this window, with what requests in flight had reserved. */
  readonly spent: number
  /** Whether the last request was refused. */
  readonly refused: boolean
  readonly dryRun: boolean
  /** When the last request was charged. */
  readonly at: number
}

/** The budgets of stored keys that no request was charged to since the process started: those of which most is spent, at most 8. */
export interface KeyBudgets {
  readonly budgets: readonly KeyBudget[]
  /** How many further budgets there are. */
  readonly moreBudgets: number
}

/** A budget of a stored key that counts all of its requests. */
export interface KeyBudget extends Pick<BudgetRow, 'window' | 'limit' | 'dryRun'> {
  /** The id of the key. */
  readonly key: string
  readonly name: string
  /** US dollars in this window, of the ledger; `null` without one. */
  readonly spent: number | null
}

/** A model with its targets. */
export interface RouteRow {
  readonly model: string
  readonly targets: readonly TargetRow[]
}

/** A target and its health. See `TargetHealth` of `@sluice/core`. */
export interface TargetRow {
  readonly provider: string
  readonly model: string
  readonly state: 'closed' | 'cooldown' | 'open' | 'half_open'
  /**
   * Why the state is not `closed`. After an error response of the vendor: `rate_limited` (429), `credentials_refused`
   * (401), `access_denied` (403), `quota_exhausted` (402), or the status, such as `http_503`. After another failure: the
   * kind of the `UpstreamError`, such as `first_byte_timeout`. `undefined` if the state is `closed`, or if the reason is
   * not known. Values may be added.
   */
  readonly reason: string | undefined
  /** Whether it is unavailable to all principals, or only to the one whose calls failed; `undefined` if it is `closed`. */
  readonly scope: 'all' | 'principal' | undefined
  /** Since when the state is not `closed`; `undefined` if it is, or if that is not known. */
  readonly since: number | undefined
  /**
   * Milliseconds until it may be called again; 0 if it may be now. While a probe is in flight: until the next probe, should
   * this one fail.
   */
  readonly waitMs: number
  readonly active: number
  /** `undefined` if this process has received none. */
  readonly last: LastAnswer | undefined
  /** US dollars per million tokens, as for a short prompt; `null` without a known price. */
  readonly price: TargetPrice | null
}

/** The result of a test of a target. */
export interface TargetTest {
  /** The status of the gateway's response. */
  readonly status: number
  /** Until the end of the response. */
  readonly ms: number
  /** The message of an error, as a client gets it. */
  readonly error?: string
  /** The request with its tokens and cost; absent if it was rejected early. */
  readonly request?: RequestDetail
}

/** How long a target took for its last completed response. */
export interface LastAnswer {
  /** When it ended. */
  readonly at: number
  /** `undefined` if the response was not streamed. */
  readonly firstTokenMs: number | undefined
  /** Until the end of the response; for a stream, until the client had read it. */
  readonly totalMs: number
}

/** A hook of the gateway, as it is configured. See `Hook` of `@sluice/core`. */
export interface ConfiguredHook {
  readonly name: string
  /** The functions that it has. */
  readonly functions: readonly ('onRequest' | 'onChunk' | 'onResponse' | 'onEnd')[]
  readonly onFailure: 'closed' | 'open'
  readonly timeoutMs: number
  /** Patterns of the models that it applies to; absent: all. */
  readonly models?: readonly string[]
  /** The operations that it applies to; absent: all. */
  readonly operations?: readonly Operation[]
  /** Whether it chooses the principals that it applies to, by a function. */
  readonly choosesPrincipals: boolean
}

/** An alert that this process sent. */
export interface AlertRow extends Omit<ConsoleAlert, 'alert'> {
  readonly id: string
  /** Such as `budget` or `target_down`. Values may be added. */
  readonly kind: string
  /** One line for people, without the rule of a budget. */
  readonly text: string
  readonly at: number
  /** The caller whose budget it is about; `text` has its id. */
  readonly key?: string
  /** The `source` of that caller, if it is known. */
  readonly source?: string
  /** The rule of a budget, as source text. */
  readonly rule?: string
}

/** A change in the state of a target. */
export type TargetChange = Pick<TargetRow, 'provider' | 'model' | 'state' | 'waitMs'>

/** Why a target was not called for a request. */
export type SkippedRow = SkipReason & {
  /** For `open` and `cooldown`: see `TargetRow`. */
  readonly reason?: string
}

/** The settings of a new key; `expiresAt` in milliseconds since 1970. */
export type KeyForm = Omit<KeySpec, 'expiresAt'> & { readonly expiresAt?: number }

/** Changes to a key; `null` removes a restriction. */
export type KeyChange = Omit<KeyChanges, 'expiresAt'> & { readonly expiresAt?: number | null }

/** A key as it is stored, without the digests of its secrets. */
export interface KeyRow extends Omit<StoredKey, 'secrets'> {
  /** Newest first; more than one while a rotation overlaps. */
  readonly secrets: readonly { readonly createdAt: number; readonly expiresAt: number | null }[]
}

/** A key that was just issued, with its text, which cannot be retrieved again. */
export interface IssuedKeyRow extends KeyRow {
  readonly key: string
}
