import { describe, expect, it } from 'vitest'
import type { LedgerClosing, LedgerEntry } from '../contracts/ledger.ts'
import { toStoredBatch } from './stored-batch.ts'

const most = Number.MAX_SAFE_INTEGER

const entry: LedgerEntry = {
  id: 'id',
  requestId: 'req',
  operation: 'embed',
  dialect: 'embeddings',
  principal: 'ann',
  source: 'api_keys',
  user: 'eve',
  tags: { team: 'search' },
  model: 'small',
  stream: true,
  openedAt: 1_000.4,
  estimate: { promptTokens: 7, completionTokens: 1, cachedTokens: 2, reasoningTokens: 3, cost: 0.1 + 0.2 },
}

const closing: LedgerClosing = {
  entry,
  closedAt: 2_000,
  outcome: 'completed',
  status: 200,
  provider: 'openai',
  upstreamModel: 'gpt',
  responseModel: 'gpt-2026-01-01',
  attempts: 2,
  charge: {
    promptTokens: 10,
    completionTokens: 20,
    cachedTokens: 30,
    reasoningTokens: 40,
    cost: 0.000_000_001,
  },
  estimated: true,
  firstByteMs: 3.6,
  totalMs: 9,
}

const flatEntry = {
  kind: 'request',
  id: 'id',
  requestId: 'req',
  operation: 'embed',
  dialect: 'embeddings',
  principal: 'ann',
  source: 'api_keys',
  user: 'eve',
  tags: { team: 'search' },
  model: 'small',
  stream: true,
  openedAt: 1_000,
}

function storedClosing(changes: Partial<LedgerClosing>) {
  return toStoredBatch({ entries: [], closings: [{ ...closing, ...changes }], progress: [] }).closings[0]
}

describe('storedBatch', () => {
  it('makes flat records, with money in whole billionths of a dollar', () => {
    const { estimate } = entry
    expect(
      toStoredBatch({
        entries: [entry],
        closings: [closing],
        progress: [
          { id: 'a', charge: estimate },
          { id: 'b', charge: undefined },
        ],
      }),
    ).toEqual({
      entries: [
        {
          ...flatEntry,
          promptTokens: 7,
          completionTokens: 1,
          cachedTokens: 2,
          reasoningTokens: 3,
          nanoDollars: 300_000_000,
        },
      ],
      closings: [
        {
          ...flatEntry,
          promptTokens: 10,
          completionTokens: 20,
          cachedTokens: 30,
          reasoningTokens: 40,
          nanoDollars: 1,
          closedAt: 2_000,
          outcome: 'completed',
          status: 200,
          provider: 'openai',
          upstreamModel: 'gpt',
          responseModel: 'gpt-2026-01-01',
          attempts: 2,
          hooks: null,
          estimated: true,
          firstByteMs: 4,
          totalMs: 9,
        },
      ],
      cancelled: [],
      progress: [
        {
          id: 'a',
          charge: {
            promptTokens: 7,
            completionTokens: 1,
            cachedTokens: 2,
            reasoningTokens: 3,
            nanoDollars: 300_000_000,
          },
        },
        { id: 'b', charge: null },
      ],
    })
  })

  it('renames the outcome client_aborted of closings that an older version wrote to a journal', () => {
    const outcome = 'client_aborted' as LedgerClosing['outcome']
    expect(storedClosing({ outcome })?.outcome).toBe('client_disconnected')
  })

  it('takes a closing without a charge for a use of nothing, and what is not known for null', () => {
    expect(
      storedClosing({
        charge: undefined,
        provider: undefined,
        upstreamModel: undefined,
        firstByteMs: undefined,
        estimated: false,
      }),
    ).toMatchObject({
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      nanoDollars: 0,
      provider: null,
      upstreamModel: null,
      firstByteMs: null,
      estimated: false,
    })
  })

  it.each([
    [null, null],
    [Number.NaN, null],
    [-0.5, 0],
    [1e300, most],
    [Number.POSITIVE_INFINITY, most],
    [0.000_000_000_4, 0],
  ])('keeps a cost of %d dollars as %d', (cost, nanoDollars) => {
    expect(storedClosing({ charge: { ...entry.estimate, cost } })?.nanoDollars).toBe(nanoDollars)
  })

  it.each([
    [Number.NaN, 0],
    [-1, 0],
    [1.5, 2],
    [1e300, most],
    [Number.NEGATIVE_INFINITY, 0],
  ])('keeps a count or a time of %d as %d', (value, kept) => {
    expect(
      storedClosing({ closedAt: value, status: value, attempts: value, firstByteMs: value, totalMs: value }),
    ).toMatchObject({ closedAt: kept, status: kept, attempts: kept, firstByteMs: kept, totalMs: kept })
  })

  it('takes an entry that an older version wrote to a journal for a chat completion without a source', () => {
    const { operation, dialect, source, user, ...older } = entry
    const stored = { operation: 'generate', dialect: 'chat', source: null, user: null }
    expect(storedClosing({ entry: older as LedgerEntry })).toMatchObject(stored)
    const { entries } = toStoredBatch({ entries: [older as LedgerEntry], closings: [], progress: [] })
    expect(entries).toMatchObject([stored])
    // As JSON has what is not known, and an empty text is none.
    const nothing = { ...entry, source: null, user: '' } as unknown as LedgerEntry
    expect(storedClosing({ entry: nothing })).toMatchObject({ source: null, user: null, operation: 'embed' })
  })

  it('keeps every text as a database can hold it', () => {
    const text = 'a\0b\ud800'
    const kept = 'a\ufffdb\ufffd'
    const broken = {
      ...entry,
      id: text,
      requestId: text,
      dialect: text,
      principal: text,
      source: text,
      user: text,
      model: text,
      tags: { [text]: text },
    }
    expect(
      storedClosing({ entry: broken, provider: text, upstreamModel: text, outcome: text as 'completed' }),
    ).toMatchObject({
      id: kept,
      requestId: kept,
      dialect: kept,
      principal: kept,
      source: kept,
      user: kept,
      model: kept,
      tags: { [kept]: kept },
      provider: kept,
      upstreamModel: kept,
      outcome: kept,
    })
    const { progress } = toStoredBatch({
      entries: [],
      closings: [],
      progress: [{ id: text, charge: undefined }],
    })
    expect(progress).toEqual([{ id: kept, charge: null }])
  })
})
