import { type LedgerBatch, toStoredBatch } from '@sluice/core/store'

export function batchLine({ entries, closings, progress }: LedgerBatch): Buffer {
  return Buffer.from(`${JSON.stringify({ entries, closings, progress })}\n`)
}

/** `undefined` for a line that is no batch: one that can never be written would hold up all that come after it. */
export function batchOf(line: string): LedgerBatch | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (!isBatch(value)) return undefined
    // Throws where a record lacks what every record has.
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
