/**
 * What the page and its server tell each other, as JSON under `{mount}/console/api`. Each request carries the admin key
 * as a bearer token. Times are milliseconds since 1970, spans milliseconds, money US dollars.
 *
 * | | |
 * |---|---|
 * | `GET /about` | `About` |
 * | `GET /requests` | `{ requests: RequestRow[] }`, newest first, those that run included; at most 500 |
 * | `GET /requests/{id}` | `RequestDetail` |
 * | `GET /live` | server-sent events: see `LiveEvents` |
 * | `GET /series?by=model&minutes=60` | `Series` |
 * | `GET /usage?by=model,day&from=&to=` | `{ rows: UsageRow[] }` from the ledger; 404 where there is none |
 * | `GET /routes` | `{ models: RouteRow[] }` |
 * | `POST /chat` | the body and the response of chat completions, as the principal `console`; 404 where `chat` of `About` is false |
 * | `GET /keys`, `POST /keys` | `{ keys: KeyRow[] }`; `KeyForm` to `IssuedKeyRow` |
 * | `PATCH /keys/{id}`, `DELETE /keys/{id}` | `KeyChange` to `KeyRow`; 204 |
 * | `POST /keys/{id}/rotate` | `{ overlapMs: number }` to `IssuedKeyRow` |
 *
 * What is refused has the protocol's error shape: `{ error: { message, type, param, code } }`. 401: the key is not the
 * admin key. 429, with `retry-after` in seconds: too many wrong keys came within a minute; the right one has to wait, too.
 * 404: no such thing, or `keys`, `ledger` or `chat` of `About` is false. 503: what keeps the keys or the ledger does not answer, or
 * too many listen to `/live`. Bodies are JSON with their `content-type`, of at most 64 KiB; that
 * of `/chat` is bounded by the gateway, as any of its requests.
 */
import type { AttemptReason, RequestOutcome, SkipReason } from '@sluice/core'
import type { KeyChanges, KeySpec, StoredKey } from '@sluice/core/keys'
import type { UsageRow } from '@sluice/core/ledger'

export type { UsageRow }

export interface About {
  /**
   * Where the protocol is served, below the mount that the page is under, too: `/v1`; empty where the mount ends with it.
   * The mount itself is not told: in front of a proxy it may be another.
   */
  readonly base: string
  readonly models: readonly string[]
  /** Whether the chat may call as the console itself; otherwise it needs a caller's key. */
  readonly chat: boolean
  /** Whether keys can be managed here. */
  readonly keys: boolean
  /** Whether there is a ledger to ask for usage. */
  readonly ledger: boolean
  readonly startedAt: number
  /** The tag by which callers belong to a team; usage is asked for with `by=tag:{teamTag}`. */
  readonly teamTag: string
}

/**
 * What `/live` tells, by the names of its events; the data is JSON. Nothing is sent again: listen first, then ask for
 * `/requests` and `/routes`, also after each time that the connection was lost. A comment comes every 15 seconds. A
 * reader that is slow gets the newest state of each request and target, and `lost` where more was left out than that.
 */
export interface LiveEvents {
  /** It has begun, changed or ended. */
  readonly request: RequestRow
  /** A target becomes unavailable, or available again. */
  readonly route: TargetChange
  /** The number of changes that were dropped: fetch `/requests` and `/routes` again. */
  readonly lost: { readonly changes: number }
}

export interface RequestRow {
  readonly id: string
  readonly at: number
  readonly model: string | undefined
  /** The id of the caller: of an issued key, its name is in `/keys`. */
  readonly key: string | undefined
  /** Who vouches for that id: `console` for the console itself. Two callers with one id and two sources are not the same. */
  readonly source: string | undefined
  readonly team: string | undefined
  readonly stream: boolean
  /** `running` until it has ended. */
  readonly outcome: RequestOutcome | 'running'
  readonly status: number | undefined
  readonly provider: string | undefined
  readonly firstByteMs: number | undefined
  readonly totalMs: number | undefined
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly cost: number | null
  /**
   * What went wrong, in one word: a refusal of this service (`rate_limit_exceeded`), or how the upstream failed
   * (`first_byte_timeout`).
   */
  readonly error: string | undefined
}

export interface RequestDetail extends RequestRow {
  readonly queueMs: number
  readonly overheadMs: number | undefined
  readonly attempts: readonly AttemptRow[]
  readonly candidates: readonly {
    readonly provider: string
    readonly model: string
    readonly via?: string
    readonly skipped?: SkippedRow
  }[]
  readonly cache: 'hit' | 'miss' | undefined
  readonly replayed: boolean
  readonly estimated: boolean
  /** Such as `seed dropped: the vendor has no seed`; of many the first 50. */
  readonly adjustments: readonly string[]
  /** The rules `asShadow` that would have refused it. */
  readonly wouldHaveRefused: readonly string[]
  /** Calls whose answers were dropped: mirrored ones, and losers of hedges. Added when they end, which may be later. */
  readonly discarded: readonly DiscardedRow[]
  /** How many attempts, candidates, adjustments, rules and unused calls are left out of the lists, in all. */
  readonly leftOut: number
}

export interface AttemptRow {
  readonly provider: string
  readonly model: string
  /** The label or position of the provider's key, if it has several. */
  readonly key?: string
  readonly why: AttemptReason
  readonly called: boolean
  readonly startMs: number
  /** To its first content, or to its failure. */
  readonly ms: number
  readonly waitedMs: number
  readonly status: number | undefined
  /** What went wrong, by its kind; never in the vendor's words. */
  readonly error: string | undefined
}

/** A call whose answer the caller did not get. It costs money all the same. */
export interface DiscardedRow extends AttemptRow {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly cost: number | null
}

/**
 * One point a minute, oldest first, the last one still growing: a line for each of the at most 12 values with the most
 * requests, then one for those that have none, then one for all others. Requests count in the minute in which they end.
 * Percentiles are within 3 % of the true ones.
 */
export interface Series {
  readonly by: 'model' | 'key' | 'team' | 'all'
  /** The minutes, each by when it began. */
  readonly at: readonly number[]
  readonly lines: readonly SeriesLine[]
}

export interface SeriesLine {
  /** That of the model, key or team. Beside a `kind` other than `name` it is a word for it: a key may have that name, too. */
  readonly name: string
  /** Of a key, who vouches for it, where that is known. */
  readonly source?: string
  readonly kind: 'name' | 'none' | 'other' | 'all'
  readonly requests: readonly number[]
  /** Those that were refused or failed, without those whose caller disconnected. */
  readonly errors: readonly number[]
  readonly promptTokens: readonly number[]
  readonly completionTokens: readonly number[]
  readonly cost: readonly number[]
  /** Requests without a known price. */
  readonly unpriced: readonly number[]
  /** Of complete responses; `null` where there are none. */
  readonly p50Ms: readonly (number | null)[]
  readonly p95Ms: readonly (number | null)[]
  /** To the first byte. */
  readonly firstByteP50Ms: readonly (number | null)[]
}

export interface RouteRow {
  readonly model: string
  readonly targets: readonly TargetRow[]
}

export interface TargetRow {
  readonly provider: string
  readonly model: string
  readonly state: 'closed' | 'cooldown' | 'open' | 'half_open'
  /**
   * Why it is in that state, in a word such as `rate_limited`, `credentials_refused`, `http_503` or `first_byte_timeout`;
   * `undefined` while it is closed, and where that is not known. New words may be added.
   */
  readonly reason: string | undefined
  /** Whether all principals avoid it, or only the one that saw it fail; `undefined` while it is closed. */
  readonly scope: 'all' | 'principal' | undefined
  /** Since when it has not been closed; `undefined` while it is closed, and where that is not known. */
  readonly since: number | undefined
  /** When it may be called again; of a trial call that runs, when the next one may be made if that fails. */
  readonly waitMs: number
  readonly active: number
  /** `undefined` where this process has seen none. */
  readonly last: LastAnswer | undefined
}

/** How long a target took for its last completed answer; both spans are of the same answer. */
export interface LastAnswer {
  /** When it ended. */
  readonly at: number
  /** `undefined` where it was not streamed. */
  readonly firstTokenMs: number | undefined
  /** Until its end: of a stream, until its caller had read it. */
  readonly totalMs: number
}

/** What changes of a target by itself. */
export type TargetChange = Pick<TargetRow, 'provider' | 'model' | 'state' | 'waitMs'>

/** Why a target was not called for a request. */
export type SkippedRow = SkipReason & {
  /** Of `open` and `cooldown`, as in `TargetRow`. */
  readonly reason?: string
}

/** What a key is issued for; `expiresAt` in milliseconds since 1970. */
export type KeyForm = Omit<KeySpec, 'expiresAt'> & { readonly expiresAt?: number }

/** What is changed of a key; `null` takes a restriction away. */
export type KeyChange = Omit<KeyChanges, 'expiresAt'> & { readonly expiresAt?: number | null }

/** What is kept of a key. */
export interface KeyRow extends Omit<StoredKey, 'secrets'> {
  /** Newest first; more than one while a rotation overlaps. */
  readonly secrets: readonly { readonly createdAt: number; readonly expiresAt: number | null }[]
}

/** With the key itself, which is shown only once. */
export interface IssuedKeyRow extends KeyRow {
  readonly key: string
}
