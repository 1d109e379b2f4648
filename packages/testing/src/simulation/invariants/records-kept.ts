import type { LedgerClosing } from '@sluice/core/ledger'
import type { CallRecord, HistoryRecord, RequestEnd, RequestRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import type { Partition } from '../store-link.ts'
import { attemptKey } from './attempt-key.ts'
import { ViolationList } from './violation-list.ts'

/** After a partition, until gateways use the database again, at most, in milliseconds. */
const recoveryMs = 10_000

/** What is known of an attempt of a client until everything fits together. */
interface Attempt {
  readonly sentAt: number
  readonly gateway: number
  /** When its gateway crashed, before everything fitted together. */
  crashedAt: number | undefined
  client: RequestRecord | undefined
  closing: LedgerClosing | undefined
  calls: number
  activeCalls: number
  answered: CallRecord | undefined
}

/**
 * The ledger's database has exactly one record of each request that an upstream got: with the outcome that the client saw, as
 * many calls as upstreams saw, and the tokens that the upstream counted. A request that a crash ends is closed as `lost`.
 *
 * @param partitions of the database: a crash loses what waits for it in memory
 */
export function recordsKept(partitions: readonly Partition[] = []): Invariant {
  const violations = new ViolationList('records kept')
  const wasCut = (from: number, to: number) =>
    partitions.some(({ fromMs, toMs }) => from < toMs + recoveryMs && fromMs <= to)
  /** By the id of the request. */
  const attempts = new Map<string, Attempt>()
  /** By the number of the request and of the attempt. */
  const ids = new Map<number | string, string>()
  const attemptOf = (record: Pick<CallRecord, 'request' | 'attempt'>) =>
    attempts.get(ids.get(attemptKey(record)) ?? '')
  const finish = (id: string, attempt: Attempt, at: number) => {
    const { client, closing, calls, activeCalls, crashedAt } = attempt
    if (client === undefined || activeCalls > 0) return
    if (closing !== undefined && crashedAt === undefined) {
      const issue = disagreement(client, closing, attempt)
      if (issue !== undefined) violations.add(at, `Request ${client.request}.${client.attempt}: ${issue}`)
    } else if (closing === undefined && calls > 0) return
    attempts.delete(id)
    ids.delete(attemptKey(client))
  }
  return {
    name: 'records kept',
    requestBegan(record) {
      const { request, requestId, at, gateway } = record
      violations.sent(request)
      ids.set(attemptKey(record), requestId)
      attempts.set(requestId, {
        sentAt: at,
        gateway,
        crashedAt: undefined,
        client: undefined,
        closing: undefined,
        calls: 0,
        activeCalls: 0,
        answered: undefined,
      })
    },
    callBegan(record) {
      const attempt = attemptOf(record)
      if (attempt === undefined) return
      attempt.calls++
      attempt.activeCalls++
    },
    record(record: HistoryRecord) {
      if (record.type === 'call') {
        const attempt = attemptOf(record)
        if (attempt === undefined) return
        attempt.activeCalls--
        if (record.end === 'completed') attempt.answered = record
        finish(ids.get(attemptKey(record))!, attempt, record.at)
      } else if (record.type === 'request') {
        const attempt = attempts.get(record.requestId)!
        attempt.client = record
        finish(record.requestId, attempt, record.at)
      } else if (record.type === 'crash') {
        for (const attempt of attempts.values()) {
          if (attempt.gateway === record.gateway) attempt.crashedAt ??= record.at
        }
      } else if (record.type === 'lost') {
        const { requestId, kind } = record.entry
        const attempt = attempts.get(requestId)
        if (attempt === undefined || (kind !== undefined && kind !== 'request')) return
        // Of a gateway that lives, and only could not reach the database, the closing follows.
        if (attempt.crashedAt === undefined) return
        attempts.delete(requestId)
        if (attempt.client !== undefined) ids.delete(attemptKey(attempt.client))
      } else if (record.type === 'ledger') {
        const { entry, attempts: called } = record.closing
        if (record.again || (entry.kind !== undefined && entry.kind !== 'request')) return
        const attempt = attempts.get(entry.requestId)
        if (attempt === undefined) {
          if (called > 0) violations.add(record.at, `A second record of ${entry.requestId}.`)
          return
        }
        if (attempt.closing !== undefined) violations.add(record.at, `A second record of ${entry.requestId}.`)
        attempt.closing = record.closing
        finish(entry.requestId, attempt, record.at)
      }
    },
    violations({ now, openRecords }) {
      // Rows that the next use of the database closes as `lost`, and those of them that were certainly written.
      let [orphans, written] = [0, 0]
      for (const [id, { client, closing, sentAt, crashedAt, calls }] of attempts) {
        if (crashedAt !== undefined) {
          orphans++
          if (calls > 0 && !wasCut(sentAt, crashedAt)) written++
          continue
        }
        if (client === undefined) violations.add(now, `${id}, sent at ${Math.round(sentAt)} ms, never ended.`)
        else if (closing === undefined)
          violations.add(now, `The record of ${id}, sent at ${Math.round(sentAt)} ms, is lost.`)
      }
      if (openRecords < written) {
        violations.add(now, `Crashes left ${written} records open, of which the database has ${openRecords}.`)
      }
      if (openRecords > orphans)
        violations.add(now, `The database has ${openRecords} records without an end.`)
      return violations.list
    },
  }
}

/** The outcomes that the ledger may have, by what the client saw. */
const outcomesOf: Readonly<Record<RequestEnd, readonly string[]>> = {
  completed: ['completed'],
  failed: ['refused', 'upstream_failed', 'internal_error', 'gateway_closed'],
  // The end of the response and the disconnect can meet.
  disconnected: ['client_disconnected', 'completed', 'upstream_failed', 'refused'],
}

function disagreement(client: RequestRecord, closing: LedgerClosing, attempt: Attempt): string | undefined {
  const { outcome, status, charge, estimated, attempts } = closing
  if (!outcomesOf[client.end].includes(outcome))
    return `the client saw ${client.end}, the ledger has ${outcome}.`
  if (client.end !== 'disconnected' && client.status !== status) {
    return `the client got status ${client.status}, the ledger has ${status}.`
  }
  if (attempts !== attempt.calls) return `upstreams got ${attempt.calls} calls, the ledger has ${attempts}.`
  const { answered } = attempt
  if (outcome !== 'completed' || estimated || answered === undefined) return undefined
  const isSame =
    charge?.promptTokens === answered.promptTokens && charge.completionTokens === answered.completionTokens
  return isSame
    ? undefined
    : `the upstream counted ${answered.promptTokens} and ${answered.completionTokens} tokens, the ledger has ${charge?.promptTokens} and ${charge?.completionTokens}.`
}
