import type { PartialUsage } from '@sluice/core/provider'
import { countOf, type Fields, isFields } from '../wire/json-value.ts'
import { addFields, type SelectedFields, usageFields } from './provider-fields.ts'

const none: Fields = {}

/**
 * The token counts of a completion or a chunk, wherever its vendor puts them; `undefined` where it gives none.
 * What is no whole number >= 0 is left out.
 */
export function partialUsage(answer: Fields, selected?: SelectedFields): PartialUsage | undefined {
  if (isFields(answer.usage)) return fromUsage(answer.usage, selected)
  const groq = answer.x_groq
  return isFields(groq) && isFields(groq.usage) ? fromUsage(groq.usage, selected) : undefined
}

/**
 * The tokens that only the total includes: vendors that count reasoning beside the completion, with (xAI) or without (Google's
 * compatible endpoint) a count of its own. They are billed as output.
 */
function hiddenTokens(total: unknown, asked: number | undefined, answered: number | undefined): number {
  const all = countOf(total)
  if (all === undefined || asked === undefined || answered === undefined) return 0
  return Math.max(0, all - asked - answered)
}

type Counts = { -readonly [Name in keyof PartialUsage]: PartialUsage[Name] }

function fromUsage(usage: Fields, selected: SelectedFields | undefined): PartialUsage | undefined {
  const prompt = isFields(usage.prompt_tokens_details) ? usage.prompt_tokens_details : none
  const completion = isFields(usage.completion_tokens_details) ? usage.completion_tokens_details : none
  const asked = countOf(usage.prompt_tokens)
  const answered = countOf(usage.completion_tokens)
  const cached =
    countOf(prompt.cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens) ?? countOf(usage.cached_tokens)
  const written = countOf(prompt.cache_write_tokens) ?? countOf(usage.cache_creation_input_tokens)
  const reasoned = countOf(completion.reasoning_tokens) ?? countOf(usage.reasoning_tokens)
  const promptAudio = countOf(prompt.audio_tokens)
  const completionAudio = countOf(completion.audio_tokens)
  const accepted = countOf(completion.accepted_prediction_tokens)
  const rejected = countOf(completion.rejected_prediction_tokens)
  const counts: Counts = {}
  if (asked !== undefined) counts.prompt_tokens = asked
  if (answered !== undefined) counts.completion_tokens = answered
  if (cached !== undefined) counts.cached_tokens = cached
  if (written !== undefined) counts.cache_write_tokens = written
  if (reasoned !== undefined) counts.reasoning_tokens = reasoned
  if (promptAudio !== undefined) counts.prompt_audio_tokens = promptAudio
  if (completionAudio !== undefined) counts.completion_audio_tokens = completionAudio
  if (accepted !== undefined) counts.accepted_prediction_tokens = accepted
  if (rejected !== undefined) counts.rejected_prediction_tokens = rejected
  const hidden = hiddenTokens(usage.total_tokens, asked, answered)
  if (hidden > 0) {
    counts.completion_tokens = (answered ?? 0) + hidden
    counts.reasoning_tokens = Math.max(reasoned ?? 0, hidden)
  }
  if (selected !== undefined) addFields(counts, usageFields(usage, selected))
  for (const _name in counts) return counts
  return undefined
}
