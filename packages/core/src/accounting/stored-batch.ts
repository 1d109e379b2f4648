import type { Charge, LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import type { LedgerBatch } from '../contracts/ledger-repository.ts'
import { memberOf } from '../primitives/own-members.ts'
import { storableTags, storableText } from '../primitives/safe-text.ts'

/** A charge as a database holds it. */
export interface StoredCharge {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly reasoningTokens: number
  /** Whole billionths of a US dollar; `null` if no price is known. */
  readonly nanoDollars: number | null
}

/** An entry as a database holds it: flat, and fit for JSON. Its charge is the estimate. */
export interface StoredEntry extends StoredCharge {
  readonly kind: string
  readonly id: string
  readonly requestId: string
  readonly operation: string
  readonly dialect: string
  readonly principal: string
  /** `null` for a principal without a source. */
  readonly source: string | null
  readonly user: string | null
  readonly tags: Readonly<Record<string, string>>
  readonly model: string
  readonly stream: boolean
  readonly openedAt: number
}

/** A closing with its entry, as a database holds them. The charge is 0 if no upstream accepted the request. */
export interface StoredClosing extends StoredEntry {
  readonly closedAt: number
  readonly outcome: string
  readonly status: number
  readonly provider: string | null
  readonly upstreamModel: string | null
  readonly responseModel: string | null
  readonly attempts: number
  /** What hooks did: `redact changed; deny-list refused`. `null`: none applied. */
  readonly hooks: string | null
  readonly estimated: boolean
  readonly firstByteMs: number | null
  readonly totalMs: number
}

/** A heartbeat as a database holds it: the usage of an open record so far. */
export interface StoredProgress {
  readonly id: string
  readonly charge: StoredCharge | null
}

/** A batch as a `LedgerRepository` writes it. */
export interface StoredBatch {
  readonly entries: readonly StoredEntry[]
  readonly closings: readonly StoredClosing[]
  readonly progress: readonly StoredProgress[]
  /** Ids of entries to delete. */
  readonly cancelled: readonly string[]
}

/**
 * A batch in values that every database can hold, and JSON too. A NUL and half a surrogate pair in a text become
 * U+FFFD. Counts and times are whole numbers from 0 to 2^53 - 1, and so is a cost in billionths of a dollar, which is
 * enough for 9 million dollars: what is outside is bounded. A cost that is no number is unknown.
 */
export function toStoredBatch({ entries, closings, progress, cancelled = [] }: LedgerBatch): StoredBatch {
  return {
    entries: entries.map(entry => ({ ...storedEntry(entry), ...storedCharge(entry.estimate) })),
    closings: closings.map(storedClosing),
    progress: progress.map(({ id, charge }) => ({
      id: storableText(id),
      charge: charge === undefined ? null : storedCharge(charge),
    })),
    cancelled: cancelled.map(storableText),
  }
}

/** Also reads what an older version wrote to a journal: newer fields may be absent. */
function storedEntry(entry: LedgerEntry): Omit<StoredEntry, keyof StoredCharge> {
  return {
    kind: storableText(memberOf(entry, 'kind') ?? 'request'),
    id: storableText(entry.id),
    requestId: storableText(entry.requestId),
    // Older versions knew no other operation and no other dialect.
    operation: storableText(memberOf(entry, 'operation') ?? 'generate'),
    dialect: storableText(memberOf(entry, 'dialect') ?? 'chat'),
    principal: storableText(entry.principal),
    source: storableOrNull(memberOf(entry, 'source')),
    user: storableOrNull(memberOf(entry, 'user')),
    tags: storableTags(entry.tags),
    model: storableText(entry.model),
    stream: entry.stream === true,
    openedAt: toCount(entry.openedAt),
  }
}

function storableOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === null || text === '' ? null : storableText(text)
}

function storedClosing(closing: LedgerClosing): StoredClosing {
  const { entry, provider, upstreamModel, responseModel, charge, firstByteMs } = closing
  return {
    ...storedEntry(entry),
    ...(charge === undefined ? nothing : storedCharge(charge)),
    closedAt: toCount(closing.closedAt),
    outcome: storableText(outcomeOf(closing.outcome)),
    status: toCount(closing.status),
    provider: provider === undefined ? null : storableText(provider),
    upstreamModel: upstreamModel === undefined ? null : storableText(upstreamModel),
    responseModel: responseModel === undefined ? null : storableText(responseModel),
    attempts: toCount(closing.attempts),
    hooks: storableOrNull(
      memberOf(closing, 'hooks')
        ?.map(({ name, outcome }) => `${name} ${outcome}`)
        .join('; '),
    ),
    estimated: closing.estimated === true,
    firstByteMs: firstByteMs === undefined ? null : toCount(firstByteMs),
    totalMs: toCount(closing.totalMs),
  }
}

/** Journals of older versions spell `client_disconnected` as `client_aborted`. */
function outcomeOf(outcome: string): string {
  return outcome === 'client_aborted' ? 'client_disconnected' : outcome
}

const nothing: StoredCharge = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  nanoDollars: 0,
}

function storedCharge(charge: Charge): StoredCharge {
  const { cost } = charge
  return {
    promptTokens: toCount(charge.promptTokens),
    completionTokens: toCount(charge.completionTokens),
    cachedTokens: toCount(charge.cachedTokens),
    reasoningTokens: toCount(charge.reasoningTokens),
    nanoDollars: typeof cost === 'number' && !Number.isNaN(cost) ? toCount(cost * 1e9) : null,
  }
}

/** Returns a non-negative safe integer. Values that are not numbers become 0. */
function toCount(value: number): number {
  return Math.round(Math.min(Math.max(Number(value) || 0, 0), Number.MAX_SAFE_INTEGER))
}
