import type { Attributes } from '@opentelemetry/api'
import type { AttemptEnd, ChatRequest } from '@sluice/core'
import { attributes as names, ownAttributes } from './names.ts'

/** Returns the parameters of a request as attributes, without its content. Absent parameters have no attribute. */
export function requestAttributes(input: ChatRequest): Attributes {
  const { stop, n } = input
  return {
    [names.requestMaxTokens]: input.max_completion_tokens ?? input.max_tokens,
    [names.requestTemperature]: input.temperature,
    [names.requestTopP]: input.top_p,
    [names.requestSeed]: input.seed,
    [names.requestStopSequences]: typeof stop === 'string' ? [stop] : stop && [...stop],
    [names.requestFrequencyPenalty]: input.frequency_penalty,
    [names.requestPresencePenalty]: input.presence_penalty,
    [names.requestChoiceCount]: n === 1 ? undefined : n,
    [names.requestStream]: input.stream === true ? true : undefined,
    [names.outputType]: outputType(input),
  }
}

function outputType({ response_format: format, modalities }: ChatRequest): string | undefined {
  if (modalities?.includes('audio') === true) return 'speech'
  if (format === undefined) return undefined
  return format.type === 'text' ? 'text' : 'json'
}

/** Returns the usage of a call. By the conventions, input includes cached tokens and output includes reasoning. */
export function usageAttributes({
  usage,
  usageEstimated,
}: Pick<AttemptEnd, 'usage' | 'usageEstimated'>): Attributes {
  if (usage === undefined) return {}
  const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details
  return {
    [names.usageInputTokens]: usage.prompt_tokens,
    [names.usageOutputTokens]: usage.completion_tokens,
    [names.usageCacheReadInputTokens]: cached_tokens || undefined,
    [names.usageCacheCreationInputTokens]: cache_write_tokens || undefined,
    [names.usageReasoningOutputTokens]: usage.completion_tokens_details.reasoning_tokens || undefined,
    [ownAttributes.usageEstimated]: usageEstimated ? true : undefined,
  }
}
