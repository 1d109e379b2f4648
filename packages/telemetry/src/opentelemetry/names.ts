import type { Operation } from '@sluice/core'

/**
 * Names of the GenAI conventions, which are in development and change: this is the only file that has them.
 * https://github.com/open-telemetry/semantic-conventions-genai
 */
export const attributes = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestTemperature: 'gen_ai.request.temperature',
  requestTopP: 'gen_ai.request.top_p',
  requestSeed: 'gen_ai.request.seed',
  requestStopSequences: 'gen_ai.request.stop_sequences',
  requestFrequencyPenalty: 'gen_ai.request.frequency_penalty',
  requestPresencePenalty: 'gen_ai.request.presence_penalty',
  requestChoiceCount: 'gen_ai.request.choice.count',
  requestStream: 'gen_ai.request.stream',
  outputType: 'gen_ai.output.type',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  responseFinishReasons: 'gen_ai.response.finish_reasons',
  responseTimeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  usageInputTokens: 'gen_ai.usage.input_tokens',
  usageOutputTokens: 'gen_ai.usage.output_tokens',
  usageCacheReadInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  usageCacheCreationInputTokens: 'gen_ai.usage.cache_creation.input_tokens',
  usageReasoningOutputTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenType: 'gen_ai.token.type',
  inputMessages: 'gen_ai.input.messages',
  toolDefinitions: 'gen_ai.tool.definitions',
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  httpRequestMethod: 'http.request.method',
  httpResponseStatusCode: 'http.response.status_code',
  enduserId: 'enduser.id',
  userId: 'user.id',
} as const

/** Names of our own, where the conventions have none. */
export const ownAttributes = {
  provider: 'sluice.provider',
  attemptReason: 'sluice.attempt.reason',
  providerKey: 'sluice.provider.key',
  attempts: 'sluice.attempts',
  requestId: 'sluice.request.id',
  dialect: 'sluice.dialect',
  clientRequestId: 'sluice.client_request.id',
  outcome: 'sluice.outcome',
  authFailure: 'sluice.auth_failure',
  cost: 'sluice.cost.usd',
  cache: 'sluice.cache',
  replayed: 'sluice.replayed',
  queued: 'sluice.queue.duration',
  usageEstimated: 'sluice.usage.estimated',
  contentTruncated: 'sluice.content.truncated',
  discarded: 'sluice.discarded',
  tag: (name: string) => `sluice.tag.${name}`,
} as const

export const metricNames = {
  clientTokenUsage: 'gen_ai.client.token.usage',
  clientOperationDuration: 'gen_ai.client.operation.duration',
  clientTimeToFirstChunk: 'gen_ai.client.operation.time_to_first_chunk',
  serverRequestDuration: 'gen_ai.server.request.duration',
  serverTimeToFirstToken: 'gen_ai.server.time_to_first_token',
  serverTimePerOutputToken: 'gen_ai.server.time_per_output_token',
  cost: 'sluice.cost.usd',
  unpriced: 'sluice.cost.unknown',
} as const

/** The conventions' name of each operation. They have none for counting tokens, ranking documents and moderation. */
export const operationNames: Readonly<Record<Operation, string>> = {
  generate: 'chat',
  embed: 'embeddings',
  countTokens: 'count_tokens',
  rerank: 'rerank',
  moderate: 'moderation',
  complete: 'text_completion',
}

/** Replaces a value that is not reported, or one beyond the maximum number of values. */
export const other = '_OTHER'

/** Providers whose name in the conventions is another than ours. */
const providerNames: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['gemini', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
])

/** The conventions' name of a provider; its own where they have none. */
export function providerName(name: string): string {
  return providerNames.get(name) ?? name
}
