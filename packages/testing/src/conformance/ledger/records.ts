import type { Charge, LedgerBatch, LedgerClosing, LedgerEntry } from '@sluice/core/ledger'

let made = 0

/** A charge of so many tokens of each kind. */
export function charge(tokens: number, cost: number | null = tokens / 1_000): Charge {
  return {
    promptTokens: tokens,
    completionTokens: tokens * 2,
    cachedTokens: tokens * 3,
    reasoningTokens: tokens * 4,
    cost,
  }
}

/** The entry of one more request. */
export function entry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  made += 1
  const id = `0190a000-0000-7000-8000-${made.toString(16).padStart(12, '0')}`
  return {
    id,
    requestId: `req_${made}`,
    operation: 'generate',
    dialect: 'chat',
    principal: 'ann',
    tags: { team: 'search' },
    model: 'small',
    stream: made % 2 === 0,
    openedAt: Date.UTC(2026, 10, 21, 12),
    estimate: charge(7),
    ...changes,
  }
}

/** Returns the closing of a request: by default a success. */
export function closing(of: LedgerEntry, changes: Partial<LedgerClosing> = {}): LedgerClosing {
  return {
    entry: of,
    closedAt: of.openedAt + 1_500,
    outcome: 'completed',
    status: 200,
    provider: 'openai',
    upstreamModel: 'gpt-small',
    responseModel: 'gpt-small-2026-01-01',
    attempts: 1,
    hooks: [{ name: 'redact', outcome: 'changed', ms: 1.2 }],
    charge: charge(10),
    estimated: false,
    firstByteMs: 300.5,
    totalMs: 1_500.25,
    ...changes,
  }
}

/** Returns a batch with these changes. */
export function batch(parts: Partial<LedgerBatch>): LedgerBatch {
  return { entries: [], closings: [], progress: [], ...parts }
}
