import type { Attributes } from '@opentelemetry/api'
import type { ChatRequest } from '@sluice/core'
import { attributes as names } from './names.ts'

/** What was asked for, but not the words. What the request does not say is not there. */
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
