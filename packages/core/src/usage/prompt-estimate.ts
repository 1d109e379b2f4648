import type { Draft } from '../contracts/draft.ts'
import type { OutlineMedia } from '../contracts/outline.ts'

const noMedia: readonly OutlineMedia[] = []

/**
 * Returns a high estimate of the tokens of a prompt: one per three bytes, which is rather too many for any language and
 * vendor, plus an allowance per image, audio, file and video. For a request that is in tokens itself it is their number.
 */
export function promptEstimate({ bytes, outline }: Draft): number {
  const { promptTokens } = outline
  if (isCount(promptTokens)) return Math.max(1, promptTokens)
  let textBytes = bytes
  let tokens = 0
  for (const media of outline.media ?? noMedia) {
    textBytes -= media.inlineBytes
    tokens += media.tokens
  }
  return Math.max(1, tokens + Math.ceil(Math.max(0, textBytes) / 3))
}

/**
 * Returns a likely number of prompt tokens: three quarters of the high estimate, which is one per four bytes of text. For a
 * request that is in tokens itself it is their number.
 */
export function estimatePromptTokens(draft: Draft): number {
  const estimate = promptEstimate(draft)
  return isCount(draft.outline.promptTokens) ? estimate : Math.ceil(estimate * 0.75)
}

/** A dialect may pass on what its request has not been validated for. */
function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
