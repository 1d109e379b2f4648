import { type LedgerBatch, toStoredBatch } from '@sluice/core/store'

export function formatBatch({ entries, closings, progress }: LedgerBatch): Buffer {
  return Buffer.from(`${JSON.stringify({ entries, closings, progress })}\n`)
}

/** Returns `undefined` for an invalid line: it could never be written, and would block all lines after it. */
export function parseBatch(line: string): LedgerBatch | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (!isBatch(value)) return undefined
    // Throws if a record has not the fields that every record has.
    toStoredBatch(value)
    return value
  } catch {
    return undefined
  }
}

function isBatch(value: unknown): value is LedgerBatch {
  if (typeof value !== 'object' || value === null) return false
  const { entries, closings, progress } = value as Partial<Record<string, unknown>>
  return Array.isArray(entries) && Array.isArray(closings) && Array.isArray(progress)
}
