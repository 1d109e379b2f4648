import { configurationError } from '@sluice/core/adapter'
import { type Call, type ChatRequest, type Provider, type Turn, turnsOf } from '@sluice/core/provider'
import { isNeutralValue } from '../parameters/parameter-rules.ts'

/** The API by which a server's reasoning models are called where a request is translated. */
export type ReasoningApi = 'responses' | 'chat'

/** How a provider translates requests, and reads the answers to them. */
type Translation = Pick<Provider, 'encode' | 'decode'>

/** The fields of a request that the Responses API can express. */
const expressible: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'verbosity',
  'web_search_options',
  'service_tier',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
] satisfies (keyof ChatRequest)[])

/** The API takes no lower maximum of the output. */
const leastOutput = 16

/** Reasoning models that search the web with each answer, which only chat completions have. */
const searchModel = /-search(?:-|$)/

/**
 * Whether a call goes to the Responses API of a server that has it: the model reasons, and nothing of the request would be lost
 * there. It depends on the call alone, so that its answer is read as it was asked for.
 */
export function suitsResponses(call: Call): boolean {
  const { input, capabilities, model, request } = call
  if (capabilities?.reasoning !== true || searchModel.test(model)) return false
  const { max_tokens: older, max_completion_tokens: newer } = input
  if (older !== undefined && newer !== undefined && older !== newer) return false
  if ((newer ?? older ?? leastOutput) < leastOutput) return false
  const isForeign = request !== undefined && request.dialect !== 'chat'
  for (const [name, value] of Object.entries(input)) {
    if (expressible.has(name) || isNeutralValue(name, value)) continue
    // Sampling of another protocol is dropped in either way.
    if (name !== 'top_k' || !isForeign) return false
  }
  return turnsOf(call).every(isExpressible)
}

/** Nobody has a name in the Responses API, it takes no audio, and its calls have ids. */
function isExpressible({ role, name, parts }: Turn): boolean {
  if (name !== undefined && role !== 'tool') return false
  return parts.every(part => {
    if (part.kind === 'audio') return false
    return (part.kind !== 'call' && part.kind !== 'result') || part.legacy !== true
  })
}

/** Returns a translation by two APIs: reasoning models by `responses`, as far as that can express the request. */
export function reasoningBy(responses: Translation, chat: Translation): Translation {
  const translationOf = (call: Call) => (suitsResponses(call) ? responses : chat)
  return {
    encode: call => translationOf(call).encode(call),
    decode: (response, call) => translationOf(call).decode(response, call),
  }
}

/** Throws `ConfigurationError` for an unknown API. */
export function validateReasoningApi(given: unknown, owner: string): void {
  if (given === undefined || given === 'responses' || given === 'chat') return
  throw configurationError(`${owner}()`, ['reasoningApi'], given, "'responses' or 'chat'")
}
