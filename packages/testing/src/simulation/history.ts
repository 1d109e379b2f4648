import { createHash } from 'node:crypto'
import type { StoreEvent, TargetEvent } from '@sluice/core'
import type { Charge, LedgerClosing, LedgerEntry } from '@sluice/core/ledger'
import type { Claim, LimitDecision, Settlement } from '@sluice/core/store'

/**
 * How an attempt of a client ended. `completed`: the answer was read to its end mark. `failed`: an error response, or an error
 * within a stream. `disconnected`: the client gave up.
 */
export type RequestEnd = 'completed' | 'failed' | 'disconnected'

/** An attempt of a client, as the client saw it. Times are in milliseconds since the beginning of the simulation. */
export interface RequestRecord {
  readonly type: 'request'
  /** The number of the client's request, from 0. Its retries have the same. */
  readonly request: number
  /** 0 for the first attempt of the client, 1 for its first retry. */
  readonly attempt: number
  readonly requestId: string
  /** When it was sent. */
  readonly at: number
  /** Until the end of the response, or until the client disconnected. */
  readonly ms: number
  /** Until the first byte of a successful response. */
  readonly firstMs: number | undefined
  readonly gateway: number
  /** The name of the group of clients. */
  readonly clients: string
  /** The id of the API key. */
  readonly key: string
  readonly model: string
  readonly stream: boolean
  /** 0 without the head of a response: the client disconnected before, or no gateway was there to send it. */
  readonly status: number
  readonly end: RequestEnd
  /** The `code` of the error. */
  readonly code: string | undefined
}

/** `refused`: an error response. `cut`: the connection was closed during the answer. `cancelled`: the gateway ended the call. */
export type CallEnd = 'completed' | 'refused' | 'unreachable' | 'cut' | 'cancelled'

/** A call of an upstream, as the upstream saw it. */
export interface CallRecord {
  readonly type: 'call'
  /** The request and the attempt of the client that it is for; -1 if the prompt does not say. */
  readonly request: number
  readonly attempt: number
  readonly at: number
  readonly ms: number
  readonly gateway: number
  readonly provider: string
  readonly model: string
  readonly end: CallEnd
  /** 0 without a response. */
  readonly status: number
  /** What the upstream bills: 0 unless the answer was complete. */
  readonly promptTokens: number
  readonly completionTokens: number
}

/** A call that has begun. */
export type BegunCall = Pick<CallRecord, 'request' | 'attempt' | 'at' | 'gateway' | 'provider' | 'model'>

/** An attempt of a client that has begun. */
export type BegunRequest = Pick<
  RequestRecord,
  'request' | 'attempt' | 'requestId' | 'at' | 'gateway' | 'clients' | 'key'
>

/** A decision of the limit store, and what it was about. */
export interface ClaimRecord {
  readonly type: 'claim'
  readonly at: number
  /** How long the gateway waited for the decision, in milliseconds. */
  readonly ms: number
  readonly gateway: number
  readonly claim: Claim
  readonly decision: LimitDecision
}

/** A settlement that reached the limit store. */
export interface SettlementRecord {
  readonly type: 'settlement'
  readonly at: number
  readonly gateway: number
  readonly settlement: Settlement
}

/** A closing that reached the database of the ledger. */
export interface LedgerRecord {
  readonly type: 'ledger'
  readonly at: number
  readonly gateway: number
  readonly closing: LedgerClosing
  /** Whether the database had a closing of this record already. */
  readonly again: boolean
}

/** A change of state that a gateway reported. */
export interface StateRecord {
  readonly type: 'state'
  readonly at: number
  readonly gateway: number
  readonly event: TargetEvent | StoreEvent
}

/** A record that the database closed as `lost`, because its process gave no sign of life. A later closing replaces it. */
export interface LostRecord {
  readonly type: 'lost'
  readonly at: number
  /** The gateway that found it. */
  readonly gateway: number
  readonly entry: LedgerEntry
  /** The last known charge. */
  readonly charge: Charge
}

/** A crash of a gateway: its calls have ended, and its clients notice. */
export interface CrashRecord {
  readonly type: 'crash'
  readonly at: number
  readonly gateway: number
}

/** What happened in a simulation. */
export type HistoryRecord =
  | RequestRecord
  | CallRecord
  | ClaimRecord
  | SettlementRecord
  | LedgerRecord
  | StateRecord
  | LostRecord
  | CrashRecord

/** Receives what happens, in its order. */
export interface HistoryListener {
  record(record: HistoryRecord): void
  /** An attempt of a client begins. */
  requestBegan?(record: BegunRequest): void
  /** A call of an upstream begins. */
  callBegan?(record: BegunCall): void
  /** An upstream sends the head of a successful response. */
  callAnswered?(record: BegunCall, at: number): void
  /** A gateway reports what a request, or a call whose response was discarded, costs in US dollars. */
  charged?(cost: number): void
  /** A gateway reports a request, or a call whose response was discarded, with tokens and without a known price. */
  unpriced?(target: ChargedTarget): void
}

/** The target that a gateway reports tokens of. */
export interface ChargedTarget {
  readonly provider: string
  readonly model: string
}

/** How much text is hashed at once, in UTF-16 units. */
const pieceLength = 65_536

/** The history of a simulation: its digest, and who receives its records. */
export class History {
  /** An error that makes the simulation meaningless, such as of a model. */
  failure: Error | undefined
  readonly #listeners: readonly HistoryListener[]
  readonly #lines: ((line: string) => void) | undefined
  readonly #hash = createHash('sha256')
  #text = ''

  /** @param lines called with each line of the history, which is JSON */
  constructor(listeners: readonly HistoryListener[], lines: ((line: string) => void) | undefined) {
    this.#listeners = listeners
    this.#lines = lines
  }

  fail(error: Error): void {
    this.failure ??= error
  }

  requestBegan(record: BegunRequest): void {
    for (const listener of this.#listeners) listener.requestBegan?.(record)
  }

  callBegan(record: BegunCall): void {
    for (const listener of this.#listeners) listener.callBegan?.(record)
  }

  callAnswered(record: BegunCall, at: number): void {
    for (const listener of this.#listeners) listener.callAnswered?.(record, at)
  }

  charged(cost: number): void {
    for (const listener of this.#listeners) listener.charged?.(cost)
  }

  unpriced(target: ChargedTarget): void {
    for (const listener of this.#listeners) listener.unpriced?.(target)
  }

  record(record: HistoryRecord): void {
    const line = lineOf(record)
    this.#text += `${line}\n`
    if (this.#text.length >= pieceLength) this.#flush()
    this.#lines?.(line)
    for (const listener of this.#listeners) listener.record(record)
  }

  /** Returns the SHA-256 of all lines. Call it at the end. */
  digest(): string {
    this.#flush()
    return this.#hash.digest('hex')
  }

  #flush(): void {
    this.#hash.update(this.#text)
    this.#text = ''
  }
}

function lineOf(record: HistoryRecord): string {
  switch (record.type) {
    case 'request':
    case 'call':
    case 'crash':
      return JSON.stringify(record)
    case 'claim': {
      const { type, at, gateway, claim, decision } = record
      const remaining = decision.counters.map(({ remaining }) => remaining)
      return JSON.stringify({ type, at, gateway, id: claim.id, allowed: decision.allowed, remaining })
    }
    case 'settlement': {
      const { type, at, gateway, settlement } = record
      return JSON.stringify({ type, at, gateway, id: settlement.id, charged: settlement.charged })
    }
    case 'ledger': {
      const { type, at, gateway, closing, again } = record
      const { entry, outcome, status, attempts, provider, charge, totalMs } = closing
      const { id, requestId, kind, principal } = entry
      const sums = {
        promptTokens: charge?.promptTokens,
        completionTokens: charge?.completionTokens,
        cost: charge?.cost,
      }
      return JSON.stringify({
        type,
        at,
        gateway,
        id,
        requestId,
        kind,
        principal,
        outcome,
        status,
        attempts,
        provider,
        ...sums,
        totalMs,
        again,
      })
    }
    case 'lost': {
      const { type, at, gateway, entry, charge } = record
      const { id, requestId } = entry
      return JSON.stringify({ type, at, gateway, id, requestId, cost: charge.cost })
    }
    case 'state': {
      const { type, at, gateway, event } = record
      return event.type === 'target'
        ? JSON.stringify({
            type,
            at,
            gateway,
            provider: event.provider,
            model: event.model,
            state: event.state,
          })
        : JSON.stringify({ type, at, gateway, store: event.store, state: event.state })
    }
  }
}
