import type { LogLine } from '../servers/gateway.ts'
import type { UpstreamRecords } from '../servers/upstreams.ts'
import { nanoDollarsOf, textOf, usageOf } from '../traffic/call.ts'
import type { CallRecord, ClientEnd, LedgerRow } from './records.ts'

/** Everything that was recorded of some calls, at rest. */
export interface Records {
  readonly calls: readonly CallRecord[]
  readonly rows: readonly LedgerRow[]
  readonly upstream: UpstreamRecords
  readonly lines: readonly LogLine[]
  /** The id of each tenant's key. */
  readonly principals: Readonly<Record<string, string>>
}

/** Differences that the documentation allows in a scenario; each is counted. */
export interface Allowances {
  /**
   * Whether a gateway was killed: calls without a line in any request log, and those that ended in the moments before, may
   * be `lost` in the ledger, and unanswered.
   */
  readonly killedAt?: number
  /** Codes of errors that the tenant with a budget may get without a fault, such as `limiter_unavailable`. */
  readonly codes?: readonly string[]
}

export interface Comparison {
  readonly differences: readonly string[]
  /** How many calls of each tenant ended how: `acme: completed 120, 503 limiter_unavailable 3`. */
  readonly ends: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Rows and calls that only an allowance explains. */
  readonly allowed: ReadonlyMap<string, number>
}

/** How long before a kill a call may have ended without its closed row having reached the database, in milliseconds. */
const unflushedMs = 1_000

/** What a refusal for the caller's own fault is. */
const ownFaults: Readonly<Record<string, string>> = {
  json: '400 invalid_request_error',
  key: '401 invalid_api_key',
  model: '404 model_not_found',
}

/** Compares the records of clients, ledger, upstreams and request logs, call by call. */
export function compareRecords(records: Records, allowances: Allowances = {}): Comparison {
  const rows = groupBy(records.rows, row => row.mark)
  const lines = groupBy(records.lines, line => line.clientRequestId ?? '')
  const marks = new Set(records.calls.map(({ call }) => call.mark))
  const differences = [...rows.keys()]
    .filter(mark => !marks.has(mark))
    .map(mark => `${mark}: a row of no call`)
  const ends = new Map<string, Map<string, number>>()
  const allowed = new Map<string, number>()
  for (const record of records.calls) {
    const { mark, tenant } = record.call
    const ofTenant = ends.get(tenant) ?? new Map<string, number>()
    ends.set(tenant, ofTenant)
    count(ofTenant, textOfEnd(record.end))
    const compared = compareCall({
      record,
      principal: records.principals[tenant] ?? '',
      rows: rows.get(mark) ?? [],
      lines: lines.get(mark) ?? [],
      upstream: records.upstream.get(mark) ?? [],
      allowances,
    })
    for (const what of compared.allowed) count(allowed, what)
    differences.push(
      ...compared.differences.map(what => `${mark} (${tenant}, ${textOfEnd(record.end)}): ${what}`),
    )
  }
  return { differences, ends, allowed }
}

interface CallRecords {
  readonly record: CallRecord
  readonly principal: string
  readonly rows: readonly LedgerRow[]
  readonly lines: readonly LogLine[]
  readonly upstream: NonNullable<ReturnType<UpstreamRecords['get']>>
  readonly allowances: Allowances
}

function compareCall(records: CallRecords): { differences: string[]; allowed: string[] } {
  const { record, rows, lines, upstream, allowances, principal } = records
  const { call, end, endedAt } = record
  const differences: string[] = []
  const allowed: string[] = []
  const expect = (holds: boolean, what: string) => {
    if (!holds) differences.push(what)
  }
  const { killedAt } = allowances
  // Its process died before it could log it, or it ended so shortly before that its row was not written yet.
  const unlogged = killedAt !== undefined && lines.length === 0 && end.how !== 'refused'
  const unflushed = killedAt !== undefined && endedAt <= killedAt && endedAt > killedAt - unflushedMs

  const requests = rows.filter(({ kind }) => kind === 'request')
  const [row] = requests
  expect(requests.length <= 1, `${requests.length} rows`)
  expect(lines.length <= 1, `${lines.length} lines in the request logs`)
  expect(row !== undefined || upstream.length === 0, 'an upstream was called, and there is no row')
  const outcome = row === undefined ? 'none' : row.closed ? row.outcome : 'open'
  expect(outcome !== 'open', 'the row is open')
  if (row !== undefined) {
    const { promptTokens, completionTokens, nanoDollars } = row
    expect(row.principal === principal, `the row is that of ${row.principal}`)
    expect(
      nanoDollars === nanoDollarsOf(promptTokens, completionTokens),
      `the row has a cost of ${nanoDollars}`,
    )
    const [line] = lines
    if (line !== undefined && outcome !== 'lost') {
      expect(line.requestId === row.requestId, 'the request log has another id than the row')
      expect(line.outcome === outcome, `the request log has the outcome ${line.outcome}, the row ${outcome}`)
      const logged = Math.round((line.costUsd ?? 0) * 1e9)
      expect(logged === nanoDollars, `the request log has a cost of ${logged}, the row of ${nanoDollars}`)
    }
    const cancelled = outcome === 'client_disconnected' || outcome === 'lost'
    const attempts = row.attempts
    expect(
      attempts === upstream.length || (cancelled && attempts >= upstream.length) || outcome === 'lost',
      `the row has ${attempts} attempts, the upstreams had ${upstream.length} calls`,
    )
    if (outcome === 'completed') {
      const counted = usageOf(call)
      const same = counted.promptTokens === promptTokens && counted.completionTokens === completionTokens
      expect(same && !row.estimated, `the row has ${promptTokens}+${completionTokens} tokens`)
      expect(
        upstream.some(({ finished }) => finished === true),
        'the row is completed, and no upstream has finished',
      )
    }
  }
  if (end.how !== 'unanswered' && end.how !== 'proxy-error' && !unlogged)
    expect(lines.length === 1, `${lines.length} lines in the request logs`)

  const outcomes = outcomesOf(end, call.invalid !== undefined)
  if (!outcomes.includes(outcome)) {
    if (outcome === 'lost' && (unlogged || unflushed)) {
      allowed.push(
        end.how === 'completed' ? 'answered before the kill, row lost' : 'running at the kill, row lost',
      )
    } else expect(false, `the row is ${outcome}`)
  }
  if (end.how === 'completed') {
    const counted = usageOf(call)
    const same =
      end.promptTokens === counted.promptTokens && end.completionTokens === counted.completionTokens
    expect(same, `the client received a usage of ${end.promptTokens}+${end.completionTokens}`)
    expect(end.text === textOf(call), 'the client received another text')
  }
  if (end.how === 'cut' || end.how === 'unanswered' || end.how === 'proxy-error') {
    const reason = end.how === 'proxy-error' ? '' : `: ${end.reason}`
    if (unlogged) allowed.push('running at the kill, not answered')
    else expect(false, `the client was not answered${reason}`)
  }
  if (end.how === 'refused') compareRefusal(call, end, allowances, expect, allowed)
  if (end.how === 'failed') expect(false, `the stream failed: ${end.code}`)
  return { differences, allowed }
}

function compareRefusal(
  call: CallRecord['call'],
  end: Extract<ClientEnd, { how: 'refused' }>,
  { codes = [] }: Allowances,
  expect: (holds: boolean, what: string) => void,
  allowed: string[],
): void {
  if (call.invalid !== undefined) {
    // A rate limit applies before the body is validated, and to unknown models too.
    const expected = [ownFaults[call.invalid], '429 rate_limit_exceeded']
    expect(expected.includes(textOfEnd(end)), `expected ${expected.join(' or ')}`)
  } else if (call.tenant === 'acme' && codes.includes(end.code)) allowed.push(`refused: ${end.code}`)
  else {
    const limited = call.tenant === 'flood' || call.tenant === 'slots'
    expect(limited && end.code === 'rate_limit_exceeded', 'refused without a fault')
  }
}

/** The outcomes that a row may have, by what the client saw; `none` without a row. */
function outcomesOf(end: ClientEnd, invalid: boolean): readonly string[] {
  switch (end.how) {
    case 'completed':
      return ['completed']
    case 'failed':
      return ['upstream_failed']
    case 'disconnected':
      return ['client_disconnected', 'completed']
    case 'refused':
      return invalid || end.status !== 502 ? ['none'] : ['upstream_failed']
    default:
      return ['none']
  }
}

function textOfEnd(end: ClientEnd): string {
  if (end.how === 'refused') return `${end.status} ${end.code}`
  if (end.how === 'failed') return `failed ${end.code}`
  return end.how === 'proxy-error' ? `nginx ${end.status}` : end.how
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
