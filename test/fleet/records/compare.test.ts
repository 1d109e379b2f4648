import { describe, expect, it } from 'vitest'
import type { LogLine } from '../servers/gateway.ts'
import { type Call, nanoDollarsOf, textOf, usageOf } from '../traffic/call.ts'
import { type Allowances, compareRecords, type Records } from './compare.ts'
import type { CallRecord, ClientEnd, LedgerRow } from './records.ts'

const call: Call = { mark: 'a-1', tenant: 'acme', stream: true, tokens: 3, paceMs: 1 }
const usage = usageOf(call)
const completed: ClientEnd = { how: 'completed', ...usage, text: textOf(call) }
const record: CallRecord = { call, sentAt: 0, endedAt: 500, end: completed, requestId: 'req_1' }
const row: LedgerRow = {
  mark: 'a-1',
  principal: 'key_acme',
  requestId: 'req_1',
  kind: 'request',
  closed: true,
  outcome: 'completed',
  attempts: 1,
  ...usage,
  estimated: false,
  nanoDollars: nanoDollarsOf(usage.promptTokens, usage.completionTokens),
  openedAt: 0,
}
const line: LogLine = {
  gateway: 'gateway-1',
  requestId: 'req_1',
  clientRequestId: 'a-1',
  status: 200,
  outcome: 'completed',
  costUsd: row.nanoDollars / 1e9,
}
const arrived = { upstream: 'upstream-1', arrivedAt: 10, finished: true, sent: 3 }

/** The differences between the records of one call that is answered, with some of them changed. */
function differences(changed: Partial<Records> = {}, allowances: Allowances = {}): readonly string[] {
  const records: Records = {
    calls: [record],
    rows: [row],
    upstream: new Map([['a-1', [arrived]]]),
    lines: [line],
    principals: { acme: 'key_acme', flood: 'key_flood' },
    ...changed,
  }
  return compareRecords(records, allowances).differences
}

const ended = (end: ClientEnd, of: Call = call): Partial<Records> => ({
  calls: [{ ...record, call: of, end }],
})

describe('compareRecords', () => {
  it('finds no difference between the records of an answered call', () => {
    expect(differences()).toEqual([])
  })

  it.each([
    ['a lost row', { rows: [] }, 'there is no row'],
    ['a row twice', { rows: [row, row] }, '2 rows'],
    ['a row of no call', { rows: [row, { ...row, mark: 'a-2' }] }, 'a row of no call'],
    ['an open row', { rows: [{ ...row, closed: false }] }, 'the row is open'],
    ['a row of another key', { rows: [{ ...row, principal: 'key_flood' }] }, 'that of key_flood'],
    ['another price', { rows: [{ ...row, nanoDollars: 1 }] }, 'a cost of 1'],
    ['other tokens', { rows: [{ ...row, completionTokens: 1 }] }, 'tokens'],
    ['another outcome', { rows: [{ ...row, outcome: 'lost' }] }, 'the row is lost'],
    ['a call too many upstream', { upstream: new Map([['a-1', [arrived, arrived]]]) }, '2 calls'],
    [
      'an unfinished upstream',
      { upstream: new Map([['a-1', [{ ...arrived, finished: false }]]]) },
      'no upstream',
    ],
    ['a line less', { lines: [] }, '0 lines'],
    ['a line of another request', { lines: [{ ...line, requestId: 'req_2' }] }, 'another id'],
    ['another logged cost', { lines: [{ ...line, costUsd: 1 }] }, 'the request log has a cost'],
    ['another text', ended({ ...completed, text: 't0 t2 ' }), 'another text'],
    ['another usage', ended({ ...completed, promptTokens: 1 }), 'a usage of 1+'],
    ['a cut stream', ended({ how: 'cut', reason: 'aborted' }), 'not answered: aborted'],
    ['no response', ended({ how: 'unanswered', reason: 'ECONNRESET' }), 'not answered: ECONNRESET'],
    ['an error of nginx', ended({ how: 'proxy-error', status: 502 }), 'not answered'],
    ['a failed stream', ended({ how: 'failed', code: 'upstream_error' }), 'the stream failed'],
  ] satisfies [string, Partial<Records>, string][])('reports %s', (_, changed, what) => {
    expect(differences(changed).join('\n')).toContain(what)
  })

  const refused: ClientEnd = { how: 'refused', status: 503, code: 'limiter_unavailable' }
  const nothing = { rows: [], upstream: new Map(), lines: [{ ...line, costUsd: null }] }

  it('accepts a refusal only where its code is allowed', () => {
    expect(differences({ ...nothing, ...ended(refused) })[0]).toContain('refused without a fault')
    const codes = ['limiter_unavailable']
    expect(differences({ ...nothing, ...ended(refused) }, { codes })).toEqual([])
    const [first] = differences({ ...nothing, ...ended(refused, { ...call, tenant: 'flood' }) }, { codes })
    expect(first).toContain('refused without a fault')
  })

  it('accepts a rate limit of the tenant that exceeds it, and of no other', () => {
    const limited: ClientEnd = { how: 'refused', status: 429, code: 'rate_limit_exceeded' }
    expect(differences({ ...nothing, ...ended(limited) })[0]).toContain('refused without a fault')
    expect(differences({ ...nothing, ...ended(limited, { ...call, tenant: 'flood' }) })).toEqual([])
  })

  it('accepts a lost row and no answer only at a kill', () => {
    const lost = { rows: [{ ...row, outcome: 'lost', estimated: true }], lines: [] }
    expect(differences({ ...lost, ...ended({ how: 'unanswered', reason: 'nothing' }) })).not.toEqual([])
    expect(
      differences({ ...lost, ...ended({ how: 'unanswered', reason: 'nothing' }) }, { killedAt: 600 }),
    ).toEqual([])
    expect(differences({ ...lost, lines: [line] }, { killedAt: 600 })).toEqual([])
    expect(differences({ ...lost, lines: [line] }, { killedAt: 5_000 })).not.toEqual([])
  })
})
