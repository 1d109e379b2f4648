import type { FinishReason } from '@sluice/core'

/** Each `finishReason` that means anything but the end of an answer. */
const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
])

/**
 * A candidate's `finishReason` as the protocol's; `null` where it has none yet. It is `STOP` also for calls,
 * which the gateway puts right.
 */
export function finishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  return reasons.get(value) ?? 'stop'
}
