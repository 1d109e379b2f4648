import type { PartialUsage } from '@sluice/core/provider'
import { countOf, type Fields, objectsOf } from '../wire/json-value.ts'

type Counts = { -readonly [Key in keyof PartialUsage]: PartialUsage[Key] }

/**
 * Token counts from `usageMetadata`; `undefined` where it has none. Counts of 0 are left out of it. The prompt's
 * count includes what was cached, but not what tools added; the candidates' does not include the thoughts.
 */
export function usageOf(usage: Fields): PartialUsage | undefined {
  const prompt = countOf(usage.promptTokenCount)
  const candidates = countOf(usage.candidatesTokenCount)
  const thoughts = countOf(usage.thoughtsTokenCount)
  if (prompt === undefined && candidates === undefined && thoughts === undefined) return undefined
  const counts: Counts = { completion_tokens: (candidates ?? 0) + (thoughts ?? 0) }
  if (prompt !== undefined) counts.prompt_tokens = prompt + (countOf(usage.toolUsePromptTokenCount) ?? 0)
  if (thoughts !== undefined) counts.reasoning_tokens = thoughts
  const cached = countOf(usage.cachedContentTokenCount)
  if (cached !== undefined) counts.cached_tokens = cached
  const promptAudio = audioTokens(usage.promptTokensDetails)
  if (promptAudio !== undefined) counts.prompt_audio_tokens = promptAudio
  const completionAudio = audioTokens(usage.candidatesTokensDetails)
  if (completionAudio !== undefined) counts.completion_audio_tokens = completionAudio
  return counts
}

function audioTokens(details: unknown): number | undefined {
  return countOf(objectsOf(details)?.find(({ modality }) => modality === 'AUDIO')?.tokenCount)
}

/** Each name that the two services have for a tier (`serviceTier`, `trafficType`), as the protocol's. */
const tiers: ReadonlyMap<unknown, string> = new Map([
  ['standard', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['ON_DEMAND', 'default'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
])

/** The tier that answered, or `undefined` if Gemini does not report it or the protocol has no name for it. */
export function serviceTierOf(usage: Fields): string | undefined {
  return tiers.get(usage.serviceTier) ?? tiers.get(usage.trafficType)
}
