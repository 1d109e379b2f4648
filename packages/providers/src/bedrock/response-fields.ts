import type { FinishReason, PartialUsage, ProviderSpecificFields } from '@sluice/core/provider'
import { finishReason, stopSequenceFields } from '../claude/finish-reason.ts'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'

/**
 * Bedrock's counts; `undefined` where it gives none. It counts input without what came from the cache or went
 * into it.
 */
export function usageOf(usage: unknown): PartialUsage | undefined {
  if (!isFields(usage)) return undefined
  const input = countOf(usage.inputTokens)
  const output = countOf(usage.outputTokens)
  if (input === undefined && output === undefined) return undefined
  const read = countOf(usage.cacheReadInputTokens)
  const written = countOf(usage.cacheWriteInputTokens)
  return {
    ...(input === undefined ? {} : { prompt_tokens: input + (read ?? 0) + (written ?? 0) }),
    ...(output === undefined ? {} : { completion_tokens: output }),
    ...(read === undefined ? {} : { cached_tokens: read }),
    ...(written === undefined ? {} : { cache_write_tokens: written }),
  }
}

/** The tier that answered, in the protocol's words; `undefined` where it has no word for it. */
export function serviceTierOf(tier: unknown): string | undefined {
  const type = isFields(tier) ? tier.type : undefined
  return type === 'default' || type === 'flex' || type === 'priority' ? type : undefined
}

/** Returns the stop sequence that a Claude reports for `stopSequencePath`, as a field of the choice. */
export function stopSequenceOf({
  additionalModelResponseFields: fields,
}: Fields): ProviderSpecificFields | undefined {
  return isFields(fields) ? stopSequenceFields(fields.stop_sequence) : undefined
}

/** What a request asks of a Claude, so that it reports which stop sequence ended its answer. */
export const stopSequencePath = '/stop_sequence'

/** The stop reasons that Converse has beside those of the Messages API. */
const guardrailReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
])

/** Returns a `stopReason` as the protocol's `finish_reason`: see `finishReason`. */
export function stopReason(reason: unknown, called: boolean): FinishReason | null {
  return finishReason(reason, called, guardrailReasons)
}

/**
 * A called function's name. gpt-oss sometimes leaves a mark of its own format behind it:
 * `json<|channel|>commentary`; no function's name holds such.
 */
export function functionName(name: unknown): string {
  if (typeof name !== 'string') return ''
  const mark = name.indexOf('<|')
  return mark === -1 ? name : name.slice(0, mark)
}

/** The model that a prompt router chose, by its id without the rest of the ARN. Other answers name no model. */
export function invokedModel(trace: unknown): { readonly model?: string } {
  const router = isFields(trace) && isFields(trace.promptRouter) ? trace.promptRouter : undefined
  const id = textOf(router?.invokedModelId)
  const model = id?.slice(id.lastIndexOf('/') + 1)
  return model ? { model } : {}
}
