import { GatewayError, type GatewayEvent, UpstreamError } from '@sluice/core'
import type { LoggedRequest, RequestLogRepository } from '@sluice/core/store'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RequestLogLoss } from './batch-writer.ts'
import { type CreateRequestLogOptions, createRequestLog, type RequestLog } from './create-request-log.ts'
import { attempt, ended } from './fake-end-event.ts'
import { inMemoryRequestLog } from './in-memory-request-log.ts'

function opened(options: Partial<CreateRequestLogOptions> = {}): RequestLog {
  const log = createRequestLog({ repository: inMemoryRequestLog(), ...options })
  onTestFinished(() => log.close())
  return log
}

/** A repository whose `insert` is another. */
function inserting(insert: RequestLogRepository['insert']): RequestLogRepository {
  return { ...inMemoryRequestLog(), insert }
}

async function logged(log: RequestLog, ...events: GatewayEvent[]): Promise<readonly LoggedRequest[]> {
  for (const event of events) log.observe(event)
  await log.flush()
  return (await log.search()).rows
}

const secret = 'my secret prompt'

describe('a logged request', () => {
  it('has its attempts, routing, error and times', async () => {
    const overloaded = new UpstreamError('The upstream refused, with status 529.', {
      kind: 'refused',
      status: 529,
      code: 'overloaded_error',
      vendorMessage: secret,
    })
    const event = ended({
      outcome: 'upstream_failed',
      status: 502,
      clientRequestId: 'mine-1',
      user: 'end-user',
      attempts: [
        attempt({ status: 529, error: overloaded }),
        attempt({ provider: 'other', why: 'fallback', called: false, error: new Error(secret) }),
      ],
      trace: {
        seed: 7,
        candidates: [
          { provider: 'third', model: 'm', skipped: { why: 'open', waitMs: 5, detail: 'a word' } },
        ],
        overheadMs: undefined,
        more: 3,
        hooks: [{ name: 'redact', outcome: 'changed', ms: 1.26 }],
      },
      wouldHaveRefused: ["requests(1).per('minute')"],
      adjustments: [{ parameter: 'top_k', action: 'dropped' }],
      error: overloaded,
    })
    expect(await logged(opened(), event)).toEqual([
      expect.objectContaining({
        id: event.requestId,
        clientRequestId: 'mine-1',
        at: event.at,
        principal: 'ann',
        tags: { team: 'search' },
        user: 'end-user',
        provider: 'acme',
        upstreamModel: 'big-1',
        totalMs: 240,
        overheadMs: null,
        error: 'refused',
        errorStatus: 529,
        errorMessage: 'The upstream refused, with status 529. (overloaded_error)',
        seed: 7,
        candidates: [
          { provider: 'third', model: 'm', skipped: { why: 'open', waitMs: 5, detail: 'a word' } },
        ],
        hooks: [{ name: 'redact', outcome: 'changed', ms: 1.3 }],
        adjustments: ['top_k dropped'],
        wouldHaveRefused: ["requests(1).per('minute')"],
        omitted: 3,
        attempts: [
          expect.objectContaining({ provider: 'acme', status: 529, error: 'refused', ms: 210 }),
          expect.objectContaining({ provider: 'other', error: 'Error', errorMessage: null }),
        ],
      }),
    ])
  })

  it('has no text that quotes a request or a vendor, unless messages are wanted', async () => {
    const refused = new GatewayError('invalid_value', { message: secret, cause: new Error(secret) })
    const internal = Object.assign(new Error(secret), { code: secret })
    const events = [
      ended({ outcome: 'refused', status: 400, error: refused, attempts: [] }),
      ended({
        outcome: 'internal_error',
        status: 500,
        error: internal,
        attempts: [attempt({ error: internal })],
      }),
      ended({ outcome: 'internal_error', status: 500, error: secret, attempts: [] }),
    ]
    expect(JSON.stringify(await logged(opened(), ...events))).not.toContain(secret)
    const rows = await logged(opened({ errorMessages: true }), ...events)
    expect(rows.map(({ errorMessage }) => errorMessage)).toEqual([null, secret, secret])
  })

  it('is bounded, whatever a caller sends', async () => {
    const long = 'x'.repeat(100_000)
    const event = ended({
      user: `zero\0 half \ud83d`,
      model: long,
      responseModel: long,
      attempts: Array.from({ length: 500 }, () =>
        attempt({ model: long, error: new UpstreamError(long, { kind: 'garbled' }) }),
      ),
      outcome: 'upstream_failed',
      error: new UpstreamError(long, { kind: 'garbled', code: long }),
      wouldHaveRefused: Array.from({ length: 100 }, () => long),
      trace: {
        seed: 1,
        candidates: Array.from({ length: 100 }, () => ({
          provider: long,
          model: long,
          via: long,
          skipped: { why: 'unfit' as const, detail: long },
        })),
        overheadMs: 1,
      },
    })
    const [row] = await logged(opened(), event)
    expect(row).toMatchObject({ user: 'zero\ufffd half \ufffd', omitted: 450 + 50 + 80 })
    expect(JSON.stringify(row).length).toBeLessThan(250_000)
  })
})

describe('the writer', () => {
  it('ignores other events', async () => {
    expect(await logged(opened(), { type: 'internal_error', requestId: 'r', error: 1 })).toEqual([])
  })

  it('writes one batch at a time, and everything once', async () => {
    let running = 0
    let most = 0
    const sizes: number[] = []
    const store = inMemoryRequestLog()
    const log = opened({
      repository: {
        ...store,
        async insert(rows) {
          running += 1
          most = Math.max(most, running)
          sizes.push(rows.length)
          await new Promise(resolve => setImmediate(resolve))
          await store.insert(rows)
          running -= 1
        },
      },
    })
    for (let index = 0; index < 1_050; index++) log.observe(ended())
    await log.flush()
    expect([most, Math.max(...sizes), log.stats()]).toEqual([1, 100, { written: 1_050, lost: 0, pending: 0 }])
  })

  it('loses rows beyond its queue while the database fails, reports it, and writes the others when it is back', async () => {
    const store = inMemoryRequestLog()
    let up = false
    const states: unknown[] = []
    const losses: RequestLogLoss[] = []
    const log = opened({
      repository: {
        ...store,
        insert: rows => (up ? store.insert(rows) : Promise.reject(new Error('disk full'))),
      },
      maxPending: 150,
      observe: event => {
        states.push(event.type === 'store' ? [event.store, event.state] : event.type)
        throw new Error('an observer that fails')
      },
      onLost: loss => losses.push(loss),
    })
    for (let index = 0; index < 200; index++) log.observe(ended())
    await expect.poll(() => states).toEqual([['log', 'failing']])
    expect(log.stats()).toEqual({ written: 0, lost: 50, pending: 150 })
    up = true
    await log.flush()
    expect(log.stats()).toEqual({ written: 150, lost: 50, pending: 0 })
    expect(states.at(-1)).toEqual(['log', 'working'])
    await vi.waitFor(() => expect(losses).toEqual([{ reason: 'full', rows: 50 }]), 3_000)
    expect(states.at(-1)).toBe('log_rows_lost')
  })

  it('loses rows beyond the bytes of its queue', async () => {
    const log = opened({ repository: inserting(() => Promise.reject(new Error())), maxPendingBytes: 10_000 })
    for (let index = 0; index < 100; index++) log.observe(ended())
    await expect.poll(() => log.stats().lost).toBeGreaterThan(80)
    expect(log.stats().pending + log.stats().lost).toBe(100)
  })

  it('reports a database that does not respond, and makes no second call to it within a minute', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const insert = vi.fn(() => new Promise<void>(() => {}))
    const states: string[] = []
    const log = createRequestLog({
      repository: inserting(insert),
      timeoutMs: 20,
      observe: event => event.type === 'store' && states.push(event.state),
    })
    log.observe(ended())
    await vi.advanceTimersByTimeAsync(1_000)
    expect(states).toEqual(['failing'])
    log.observe(ended())
    await vi.advanceTimersByTimeAsync(50_000)
    expect(insert).toHaveBeenCalledTimes(1)
  })

  it('is not held up by one row that the database refuses', async () => {
    const store = inMemoryRequestLog()
    const bad = ended()
    const log = opened({
      repository: {
        ...store,
        insert: rows =>
          rows.some(({ id }) => id === bad.requestId) ? Promise.reject(new Error('no')) : store.insert(rows),
      },
    })
    for (const event of [ended(), bad, ended()]) log.observe(event)
    await vi.waitFor(() => {
      // The database is retried at once, and not after a while.
      void log.flush()
      expect(log.stats()).toEqual({ written: 2, lost: 1, pending: 0 })
    }, 5_000)
  })

  it('loses what comes after it is closed', async () => {
    const losses: RequestLogLoss[] = []
    const log = opened({ onLost: loss => losses.push(loss) })
    log.observe(ended())
    await log.close()
    await log.close()
    log.observe(ended())
    expect(log.stats()).toEqual({ written: 1, lost: 1, pending: 0 })
  })
})

describe('search and export', () => {
  it('pages through all rows', async () => {
    const log = opened()
    const events = Array.from({ length: 25 }, () => ended())
    await logged(log, ...events)
    const ids: string[] = []
    let page = await log.search({ limit: 10 })
    for (;;) {
      ids.push(...page.rows.map(({ id }) => id))
      if (page.next === undefined) break
      page = await log.search({ limit: 10, after: page.next })
    }
    expect(ids).toEqual(events.map(({ requestId }) => requestId).reverse())
    expect((await log.get(events[3]!.requestId))?.id).toBe(events[3]!.requestId)
    expect(await log.get('req_none')).toBeUndefined()
  })

  it.each([
    [{ where: { key: undefined } }, 'where.key is undefined'],
    [{ where: { tag: 'x' } }, 'where has no "tag"'],
    [{ where: new Map([['key', 'ann']]) }, 'where is an object of another kind'],
    [{ where: { status: '6xx' } }, 'where.status is "6xx"'],
    [{ where: { outcome: 'lost' } }, 'where.outcome is "lost"'],
    [{ where: { errorText: 'x' } }, 'where.errorText needs from'],
    [{ where: { errorText: 'x' }, from: 0 }, 'more than 31 days'],
    [{ where: { errorText: '' }, from: new Date() }, 'where.errorText has 0 characters'],
    [{ where: { tags: { team: 3 } } }, 'where.tags has a value that is a number'],
    [{ limit: 501 }, 'limit is 501'],
    [{ after: { at: '1', id: 'x' } }, 'after must be the next of a page'],
    [{ from: 'yesterday' }, 'from is yesterday'],
    [{ form: 1 }, 'the query has no "form"'],
  ])('reject an invalid query: %j', (query, message) => {
    expect(() => opened().search(query as never)).toThrow(message)
    expect(() => opened().export('csv', query as never)).toThrow(TypeError)
  })

  it('export every row once, over pages, as CSV that no spreadsheet runs', async () => {
    const log = opened()
    await logged(
      log,
      ended({ user: '=HYPERLINK("http://evil.test")', principal: { id: '+1', tags: { '=a': '@b,"c"' } } }),
      ended({ user: '\t=1', model: 'line\r\nbreak', clientRequestId: '-x' }),
      ended({ user: '＝1', model: '\u001b[31mred' }),
    )
    let csv = ''
    for await (const part of log.export('csv', { limit: 2 })) csv += part
    const lines = csv.split('\r\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^id,clientRequestId,at,/)
    expect(csv).toContain(`"'=HYPERLINK(""http://evil.test"")"`)
    expect(csv).toContain(`,'+1,`)
    expect(csv).toContain(`,'-x,`)
    expect(csv).toContain(`,' =1,`)
    expect(csv).toContain(`,'＝1,`)
    expect(['\u001b', '\t'].filter(control => csv.includes(control))).toEqual([])
  })

  it('export JSON lines that cannot control a terminal', async () => {
    const log = opened()
    await logged(log, ended({ user: '\u001b[2J\u202e\u2028' }))
    let text = ''
    for await (const part of log.export('jsonl')) text += part
    expect(text).toMatch(/^[ -~…]*\n$/)
    expect(JSON.parse(text)).toMatchObject({ user: '\u001b[2J\u202e\u2028' })
  })
})

describe('retention and deletion', () => {
  it('deletes what is too old and too many', async () => {
    const log = opened({ retention: { maxAgeMs: 86_400_000, maxRows: 2 } })
    const now = Date.now()
    await logged(log, ...[5, 4, 3].map(ms => ended({ at: now - ms })), ended({ at: now - 90_000_000 }))
    expect(await log.applyRetention()).toBe(2)
    expect((await log.search()).rows.map(({ at }) => now - at)).toEqual([3, 4])
    const all = opened({ retention: { maxAgeMs: null } })
    await logged(all, ended({ at: 1 }))
    expect(await all.applyRetention()).toBe(0)
  })

  it('deletes a principal, with the rows that wait', async () => {
    const log = opened()
    log.observe(ended())
    log.observe(ended({ principal: { id: 'ann', source: 'jwt' } }))
    expect(await log.deletePrincipal({ id: 'ann', source: 'api_keys' })).toBe(1)
    expect((await log.search()).rows).toHaveLength(1)
  })
})

it.each([
  [undefined, 'an object of options'],
  [{}, 'repository'],
  [{ repository: inMemoryRequestLog(), maxPending: 0 }, 'maxPending'],
  [{ repository: inMemoryRequestLog(), retention: { maxAge: 1 } }, 'retention.maxAge'],
  [{ repository: inMemoryRequestLog(), retention: { maxRows: 1.5 } }, 'retention.maxRows'],
  [{ repository: inMemoryRequestLog(), bodies: true }, 'bodies'],
])('rejects invalid options: %#', (options, names) => {
  expect(() => createRequestLog(options as never)).toThrow(names)
})
