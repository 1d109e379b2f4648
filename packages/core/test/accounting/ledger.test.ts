import { describe, expect, it, vi } from 'vitest'
import { batchedLedger } from '../../src/accounting/batched-ledger.ts'
import type { LedgerEntry } from '../../src/contracts/ledger.ts'
import type { Lease } from '../../src/contracts/limiter.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import {
  chunks,
  forever,
  type Scripted,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'
import { scriptedLedger } from '../support/scripted-ledger.ts'
import { ScriptedJournal, ScriptedRows } from '../support/scripted-rows.ts'

const never = () => new Promise<never>(() => {})
const answers = () => scripted(() => whole('Hi.'))
const spending: Lease = { spends: true, settle() {} }
const used = { promptTokens: 3, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 }

/** A promise and what ends it. */
function gate() {
  let open = () => {}
  const promise = new Promise<void>(resolve => {
    open = resolve
  })
  return { promise, open }
}

describe('a gateway and its ledger', () => {
  it('asks no upstream before the entry is kept, and closes it with what was used', async () => {
    const kept = gate()
    const ledger = scriptedLedger({ open: () => kept.promise })
    const model = answers()
    const { post, ends } = serving(model.target, { ledger, prices: () => 0.5 })
    const answering = post({})
    await turn()
    expect(ledger.heard).toEqual(['open'])
    expect(model.inputs).toEqual([])
    kept.open()
    expect((await answering).status).toBe(200)
    expect(ledger.heard).toEqual(['open', 'close'])
    expect(ledger.closings).toMatchObject([
      {
        entry: ledger.entries[0],
        outcome: 'completed',
        status: 200,
        provider: 'scripted',
        upstreamModel: 'upstream-model',
        attempts: 1,
        charge: { ...used, cost: 0.5 },
        estimated: false,
      },
    ])
    expect(ends()[0]?.cost).toBe(0.5)
  })

  it('has ids of its own, whatever a caller sends and whoever makes ids', async () => {
    const ledger = scriptedLedger()
    const { post } = serving(answers().target, {
      ledger,
      generateId: () => 'x',
      now: () => 1_700_000_000_000,
    })
    const headers = {
      'content-type': 'application/json',
      'x-request-id': 'req_other',
      'idempotency-key': 'other',
    }
    for (let sent = 0; sent < 3; sent++) {
      const response = await post({ user: 'other', metadata: { id: 'other' } }, { headers })
      expect(response.headers.get('x-request-id')).toBe('req_x')
    }
    const ids = ledger.entries.map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    // The end user is the caller's to name.
    const others = ledger.entries.map(({ user, ...rest }) => rest)
    expect(JSON.stringify(others)).not.toContain('other')
  })

  it.each([
    ['not valid', { temperature: 9 }, {}],
    ['for an unknown model', { model: 'other' }, {}],
    ['without room', {}, { limits: { admit: () => Promise.reject(new Error('store')) } }],
  ])('enters nothing of a request that is %s', async (_, body, options) => {
    const ledger = scriptedLedger()
    const { post, ends } = serving(answers().target, { ledger, ...options })
    await post(body)
    expect(ends()).toHaveLength(1)
    expect(ledger.heard).toEqual([])
  })

  it('hands over copies: neither principal nor event change by what a ledger does', async () => {
    const principal = { id: 'ann', tags: { team: 'search' } }
    const ledger = scriptedLedger({
      open: entry => {
        Object.assign(entry.tags, { team: 'other' })
        Object.assign(entry, { openedAt: Number.NaN, principal: 'bob' })
      },
      close: ({ charge }) => void Object.assign(charge!, { cost: 7, promptTokens: 7 }),
    })
    const at: number[] = []
    const { post, ends } = serving(answers().target, {
      ledger,
      authenticate: () => principal,
      now: () => 5,
      prices: (usage, model) => {
        at.push(model.at)
        Object.assign(usage, { prompt_tokens: 9 })
        Object.assign(usage.prompt_tokens_details, { cached_tokens: 9 })
        return 0.5
      },
    })
    const answer = (await (await post({})).json()) as { usage: { prompt_tokens: number } }
    expect(answer.usage.prompt_tokens).toBe(3)
    expect(ends()).toMatchObject([
      { principal: { id: 'ann', tags: { team: 'search' } }, cost: 0.5, usage: { prompt_tokens: 3 } },
    ])
    expect(new Set(at)).toEqual(new Set([5]))
  })

  describe('closes once', () => {
    const phases: [string, () => Scripted, object, Record<string, unknown>][] = [
      [
        'before the head',
        () => scripted(() => whole(''), { transport: (_, signal) => forever(signal) }),
        {},
        {
          status: 499,
          provider: 'scripted',
          attempts: 1,
          charge: { promptTokens: 2, cost: 0.5 },
          estimated: true,
        },
      ],
      [
        'in the queue of the provider',
        () => {
          const { target, ...rest } = answers()
          const slots = { ...target.provider, maxConcurrent: 1, transport: never }
          const full = { ...target, provider: slots }
          void serving(full).post({})
          return { target: full, ...rest }
        },
        {},
        { status: 499, attempts: 0, charge: undefined, estimated: false },
      ],
      [
        'while a streamed answer is awaited',
        () => scripted(forever),
        { stream: true },
        { status: 499, charge: { promptTokens: 2, completionTokens: 4_096 }, estimated: true },
      ],
      [
        'after the first content',
        () =>
          scripted(signal => ({
            kind: 'stream',
            chunks: (async function* () {
              yield [text('12345678')]
              await forever(signal)
            })(),
          })),
        { stream: true },
        { status: 200, charge: { promptTokens: 2, completionTokens: 2 }, estimated: true },
      ],
    ]
    it.each(phases)('for a client that leaves %s', async (_, model, body, expected) => {
      const ledger = scriptedLedger()
      const { post, ends } = serving(model().target, { ledger, prices: () => 0.5 })
      const left = new AbortController()
      const answering = post(body, { signal: left.signal })
      await turn()
      if (expected.status === 200) await (await answering).body?.getReader().read()
      left.abort()
      await answering
      await turn()
      expect(ledger.heard).toEqual(['open', 'close'])
      expect(ledger.closings).toMatchObject([{ outcome: 'client_disconnected', ...expected }])
      expect(ends()).toHaveLength(1)
      expect(ends()[0]?.cost).toBe(ledger.closings[0]?.charge?.cost ?? null)
    })

    it('for a client that leaves while the entry is opened, and asks no upstream', async () => {
      const kept = gate()
      const ledger = scriptedLedger({ open: () => kept.promise })
      const settled: unknown[] = []
      const limit = { admit: () => ({ settle: (...all: unknown[]) => void settled.push(all) }) }
      const model = answers()
      const { post, ends } = serving(model.target, { ledger, limits: limit })
      const left = new AbortController()
      const answering = post({}, { signal: left.signal })
      await turn()
      left.abort()
      expect((await answering).status).toBe(499)
      expect(settled).toEqual([[undefined, null]])
      expect(ledger.heard).toEqual(['open'])
      kept.open()
      await turn()
      expect(ledger.heard).toEqual(['open', 'close'])
      expect(ledger.closings).toMatchObject([{ outcome: 'client_disconnected', status: 499, attempts: 0 }])
      expect(ledger.closings[0]?.charge).toBeUndefined()
      expect(model.inputs).toEqual([])
      expect(ends()).toHaveLength(1)
    })

    it.each([
      [
        'failed',
        () => Promise.reject(new UpstreamError('busy', { kind: 'refused', status: 503 })),
        {},
        undefined,
      ],
      [
        'broke off',
        () => stream([text('12345678')], new UpstreamError('cut', { kind: 'truncated' })),
        { stream: true },
        { promptTokens: 2, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0, cost: 0.5 },
      ],
    ])('for an upstream that %s', async (_, answer, body, charge) => {
      const ledger = scriptedLedger()
      const { post } = serving(scripted(answer).target, { ledger, prices: () => 0.5 })
      await (await post(body)).text()
      expect(ledger.heard).toEqual(['open', 'close'])
      expect(ledger.closings).toMatchObject([{ outcome: 'upstream_failed', estimated: charge !== undefined }])
      expect(ledger.closings[0]?.charge).toEqual(charge)
    })

    it('for a gateway that is closed, which waits for it', async () => {
      const written = gate()
      const ledger = scriptedLedger({ close: () => written.promise })
      const { post, gateway } = serving(scripted(forever).target, { ledger })
      const answering = post({})
      await turn()
      let closed = false
      const closing = gateway.close({ drainMs: 1 }).then(() => {
        closed = true
      })
      expect((await answering).status).toBe(503)
      await turn()
      expect(ledger.heard).toEqual(['open', 'close', 'flush'])
      expect(ledger.closings).toMatchObject([{ outcome: 'gateway_closed', charge: { promptTokens: 2 } }])
      expect(closed).toBe(false)
      written.open()
      await closing
      // Once more, for what came meanwhile.
      expect(ledger.heard).toEqual(['open', 'close', 'flush', 'flush'])
    })

    it('whatever turn of the loop a client leaves at: no entry stays open, and none is closed that was not opened', async () => {
      let opened = 0
      for (let turns = 0; turns < 40; turns++) {
        const ledger = scriptedLedger({ open: () => Promise.resolve() })
        const { post, ends } = serving(scripted(() => stream([text('a'), stop])).target, { ledger })
        const left = new AbortController()
        const answering = post({ stream: true }, { signal: left.signal })
        for (let passed = 0; passed < turns; passed++) await undefined
        left.abort()
        await (await answering).text().catch(() => {})
        await turn()
        expect(ends()).toHaveLength(1)
        expect(ledger.closings.map(({ entry }) => entry)).toEqual(ledger.entries)
        opened += ledger.entries.length
      }
      expect(opened).toBeGreaterThan(0)
      expect(opened).toBeLessThan(40)
    })
  })

  describe('that cannot keep an entry', () => {
    const failing = () => scriptedLedger({ open: () => Promise.reject(new Error('no rows on db.internal')) })

    it('refuses what spends with 503, asks no upstream, gives the room back and closes', async () => {
      const settled: unknown[] = []
      const limit = { admit: () => ({ ...spending, settle: (...all: unknown[]) => void settled.push(all) }) }
      const ledger = failing()
      const model = answers()
      const { post, ends } = serving(model.target, { ledger, limits: limit })
      const response = await post({})
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      const body = await response.text()
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'ledger_unavailable' } })
      expect(body).not.toContain('db.internal')
      expect(model.inputs).toEqual([])
      expect(settled).toEqual([[undefined, null]])
      expect(ledger.closings).toMatchObject([{ outcome: 'refused', status: 503, charge: undefined }])
      expect(ends()).toMatchObject([{ error: { cause: { message: 'no rows on db.internal' } } }])
    })

    it('has it cancelled where the ledger can, and not closed', async () => {
      const cancelled: string[] = []
      const ledger = { ...failing(), cancel: ({ id }: LedgerEntry) => void cancelled.push(id) }
      const { post } = serving(answers().target, { ledger, limits: { admit: () => spending } })
      expect((await post({})).status).toBe(503)
      expect(cancelled).toEqual(ledger.entries.map(({ id }) => id))
      expect([cancelled.length, ledger.closings]).toEqual([1, []])
      // Who spends nothing is answered, and has a record.
      const free = serving(answers().target, { ledger })
      expect((await free.post({})).status).toBe(200)
      expect([cancelled.length, ledger.closings.length]).toEqual([1, 1])
    })

    it('answers what spends nothing, and its closing brings the whole record', async () => {
      const ledger = failing()
      const { post, events } = serving(answers().target, { ledger })
      expect((await post({})).status).toBe(200)
      expect((await post({})).status).toBe(200)
      expect(ledger.closings).toMatchObject([
        { entry: { principal: 'ann', model: 'm' }, outcome: 'completed', charge: used },
        { outcome: 'completed' },
      ])
      expect(events.filter(({ type }) => type === 'store')).toMatchObject([
        { store: 'ledger', state: 'failing', error: { message: 'no rows on db.internal' } },
      ])
    })

    it('does not hold a request longer than policyMs', async () => {
      const ledger = scriptedLedger({ open: never })
      const limit = { admit: () => spending }
      const options = { ledger, timeouts: { policyMs: 20 } }
      expect((await serving(answers().target, options).post({})).status).toBe(200)
      expect((await serving(answers().target, { ...options, limits: limit }).post({})).status).toBe(503)
      expect(ledger.heard).toEqual(['open', 'close', 'open', 'close'])
    })
  })

  describe('when it closes', () => {
    it.each<[string, object]>([
      ['a lease that never settles', { limits: { admit: () => ({ settle: never }) } }],
      ['a ledger that never closes an entry', { ledger: scriptedLedger({ close: never }) }],
      ['a ledger that never flushes', { ledger: scriptedLedger({ flush: never }) }],
    ])('is not held for ever by %s', async (_, options) => {
      const { post, gateway } = serving(answers().target, options)
      await post({})
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      try {
        let closed = false
        const closing = gateway.close().then(() => {
          closed = true
        })
        await vi.advanceTimersByTimeAsync(2_400)
        expect(closed).toBe(false)
        await vi.advanceTimersByTimeAsync(2_600)
        expect(closed).toBe(true)
        await closing
      } finally {
        vi.useRealTimers()
      }
    })

    it.each<[string, () => void | Promise<void>]>([
      [
        'throws',
        () => {
          throw new Error('rows')
        },
      ],
      ['rejects', () => Promise.reject(new Error('rows'))],
    ])('outlives a flush that %s, and tells of it', async (_, flush) => {
      const { gateway, events } = serving(answers().target, { ledger: scriptedLedger({ flush }) })
      await gateway.close()
      expect(events).toMatchObject([{ type: 'store', store: 'ledger', state: 'failing' }])
    })

    it('does not wait for the next try of a ledger whose database is back', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      try {
        const rows = new ScriptedRows()
        rows.mode = 'fails'
        const ledger = batchedLedger(rows)
        const { post, gateway } = serving(answers().target, { ledger })
        await post({})
        // By now it is tried every 5 seconds.
        await vi.advanceTimersByTimeAsync(20_000)
        rows.mode = 'works'
        let closed = false
        const closing = gateway.close().then(() => {
          closed = true
        })
        await vi.advanceTimersByTimeAsync(1)
        expect(closed).toBe(true)
        await closing
        expect([...rows.closedTimes.values()]).toEqual([1])
        await ledger.stop()
      } finally {
        vi.useRealTimers()
      }
    })

    it('waits for a lease that is being settled', async () => {
      const given = gate()
      const limit = { admit: () => ({ settle: () => given.promise }) }
      const { post, gateway } = serving(answers().target, { limits: limit })
      await post({})
      let closed = false
      const closing = gateway.close().then(() => {
        closed = true
      })
      await turn()
      expect(closed).toBe(false)
      given.open()
      await closing
    })
  })

  it('F74: goes on while the database is away, refuses what spends once the journal is full, and loses nothing but what it refused', async () => {
    const rows = new ScriptedRows()
    const journal = new ScriptedJournal()
    journal.room = 2
    const ledger = batchedLedger(rows, { journal })
    const free = serving(answers().target, { ledger })
    const budgeted = serving(answers().target, { ledger, limits: { admit: () => spending } })
    rows.mode = 'fails'
    expect((await budgeted.post({})).status).toBe(200)
    expect((await budgeted.post({})).status).toBe(503)
    expect((await free.post({})).status).toBe(200)
    rows.mode = 'works'
    await Promise.all([free.gateway.close(), budgeted.gateway.close()])
    expect(journal.empty).toBe(true)
    const closings = [...rows.records.values()].map(({ closing }) => closing)
    expect(closings.map(closing => closing?.outcome).sort()).toEqual(['completed', 'completed'])
    expect([...rows.closedTimes.values()]).toEqual([1, 1])
    await ledger.stop()
  })

  it('tells of progress while a stream runs', async () => {
    const ledger = scriptedLedger()
    const more = gate()
    const model = scripted(() => ({
      kind: 'stream',
      chunks: (async function* () {
        yield* chunks([text('12345678')])
        await more.promise
        yield [stop]
      })(),
    }))
    const { post } = serving(model.target, { ledger, prices: usage => usage.total_tokens / 1_000 })
    const reader = (await post({ stream: true })).body!.getReader()
    await reader.read()
    expect(ledger.progress[0]?.()).toEqual({
      promptTokens: 2,
      completionTokens: 2,
      cachedTokens: 0,
      reasoningTokens: 0,
      cost: 0.004,
    })
    more.open()
    while (!(await reader.read()).done);
    expect(ledger.heard).toEqual(['open', 'close'])
  })
})

describe('tags of a request', () => {
  it.each([[['']], [['x'.repeat(65)]], [Array(9).fill('a')], ['feature'], [[1]]])(
    'refuses %j',
    metadataTags => {
      expect(() =>
        serving(scripted(() => whole('Hi.')).target, { metadataTags: metadataTags as never }),
      ).toThrow('metadataTags: got')
    },
  )

  it('are the listed ones alone, under their prefix, and none of another type', async () => {
    const ledger = scriptedLedger()
    const { post } = serving(scripted(() => whole('Hi.')).target, {
      authenticate: () => ({ id: 'ann', tags: { team: 'search', 'metadata.own': 'principal' } }),
      ledger,
      metadataTags: ['feature', 'team', '__proto__', 'n'],
    })
    await post({ metadata: { feature: 'f', team: 'mine', other: 'o', n: 'a\u0000b' } })
    await post({ metadata: { feature: 7 } })
    await post({ metadata: 'feature' })
    const own = { team: 'search', 'metadata.own': 'principal' }
    expect(ledger.entries[0]?.tags).toEqual({
      ...own,
      'metadata.feature': 'f',
      'metadata.team': 'mine',
      'metadata.n': expect.stringMatching(/^sha256:/),
    })
    expect(ledger.entries.slice(1).map(({ tags }) => tags)).toSatisfy((all: object[]) =>
      all.every(tags => !('metadata.feature' in tags)),
    )
  })
})
