import type { Settings, ThinkingSetting } from '../../conversation/generate-request.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import type { ChatRequest, JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { losses as kinds } from './losses.ts'
import { asksForSummary } from './response-object.ts'
import { type ReadTools, readTools } from './tools.ts'

/** The settings of a request in the names of chat completions. */
export interface ResponsesSettings {
  readonly settings: Settings
  /** How much the model may think; `undefined` if the request does not say. */
  readonly thinking: ThinkingSetting | undefined
  /** What other protocols cannot express. */
  readonly losses: readonly ConversationLoss[]
  /** The caller's names of settings, by their names in chat completions. */
  readonly renamed: Readonly<Record<string, string>>
  readonly tools: ReadTools
}

/** Fields that are read here, those that only the gateway reads, and those that say nothing to other vendors. */
export const readFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'store',
  'background',
  'stream',
  'stream_options',
  'max_output_tokens',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'include',
  'metadata',
  'service_tier',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
])

/** Fields that the protocol names, and that only its vendors know. */
const vendorFields = [
  'max_tool_calls',
  'truncation',
  'conversation',
  'prompt',
  'context_management',
  'moderation',
  'access_programs',
] as const

/** The fields of a request that the protocol names, and one that a coding client adds. */
export const responsesFields: ReadonlySet<string> = new Set([
  ...readFields,
  ...vendorFields,
  'client_metadata',
])

const names: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  thinking: 'reasoning',
  response_format: 'text.format',
  'response_format.json_schema': 'text.format',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
  'tool_choice.function': 'tool_choice',
  'tool_choice.allowed_tools': 'tool_choice',
}

/** Settings that have the same name, and are texts. */
const texts = ['user', 'safety_identifier', 'prompt_cache_retention'] as const

/** Settings that have the same name, and are numbers. */
const numbers = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const

const tiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
const efforts: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

/** What asks for the probabilities of tokens, in `include`. */
const includedLogprobs = 'message.output_text.logprobs'

/** The longest text that chat completions take as the id of a cache. */
const maxIdLength = 64

/**
 * Returns the settings of a body. It never throws: an invalid value is left out, and is for a validation to refuse.
 *
 * @param conversationKey - what all requests of the conversation share.
 */
export function readSettings(body: JsonObject, conversationKey: string | undefined): ResponsesSettings {
  const tools = readTools(body)
  const effort = jsonMember(jsonMember(body, 'reasoning'), 'effort')
  const hasEffort = efforts.has(effort)
  const text = jsonMember(body, 'text')
  const tier = jsonMember(body, 'service_tier')
  const settings: Settings = {
    model: String(jsonMember(body, 'model') ?? ''),
    stream: jsonMember(body, 'stream') === true,
    ...sameSettings(body),
    ...logprobs(body),
    ...tools.settings,
    ...(hasEffort && { reasoning_effort: effort as NonNullable<ChatRequest['reasoning_effort']> }),
    ...responseFormat(jsonMember(text, 'format')),
    ...verbosity(jsonMember(text, 'verbosity')),
    ...(conversationKey !== undefined && { prompt_cache_key: shortId(conversationKey) }),
    ...(tiers.has(tier) && { service_tier: tier as NonNullable<ChatRequest['service_tier']> }),
  }
  const { searchPath } = tools
  return {
    settings,
    thinking: effort === 'none' ? undefined : thinkingOf(hasEffort, asksForSummary(body)),
    losses: [...tools.losses, ...fieldLosses(body, tier)],
    renamed: searchPath === undefined ? names : { ...names, web_search_options: searchPath },
    tools,
  }
}

/** A summary without an effort is one of what the model thinks by itself. */
function thinkingOf(hasEffort: boolean, asksForSummary: boolean): ThinkingSetting | undefined {
  if (!asksForSummary) return hasEffort ? { hasEffort } : undefined
  return { hasEffort, display: 'summarized', ...(!hasEffort && { onlyDisplay: true }) }
}

function sameSettings(body: JsonObject): Partial<Settings> {
  const same: Record<string, JsonValue> = {}
  for (const name of texts) {
    const value = jsonMember(body, name)
    if (typeof value === 'string') same[name] = value
  }
  for (const name of numbers) {
    const value = jsonMember(body, name)
    if (typeof value === 'number') same[name] = value
  }
  for (const name of ['metadata', 'prompt_cache_options']) {
    const value = jsonMember(body, name)
    if (isObject(value) && Object.keys(value).length > 0) same[name] = value
  }
  const bound = jsonMember(body, 'max_output_tokens')
  if (typeof bound === 'number') same.max_completion_tokens = bound
  return same as Partial<Settings>
}

function logprobs(body: JsonObject): Partial<Settings> {
  const top = jsonMember(body, 'top_logprobs')
  const count = typeof top === 'number' && top > 0 ? top : undefined
  const isIncluded = jsonItems(jsonMember(body, 'include')).includes(includedLogprobs)
  if (count === undefined && !isIncluded) return {}
  return { logprobs: true, ...(count !== undefined && { top_logprobs: count }) }
}

/** The protocol has the schema beside its name, chat completions within `json_schema`. */
function responseFormat(format: JsonValue | undefined): Pick<Settings, 'response_format'> {
  switch (jsonMember(format, 'type')) {
    case 'json_object':
      return { response_format: { type: 'json_object' } }
    case 'json_schema': {
      const { type: _, ...schema } = format as JsonObject
      const given = Object.entries(schema).filter(([, value]) => value !== null)
      const json_schema = Object.fromEntries(given) as unknown as { readonly name: string }
      return { response_format: { type: 'json_schema', json_schema } }
    }
    default:
      return {}
  }
}

function verbosity(value: JsonValue | undefined): Pick<Settings, 'verbosity'> {
  return value === 'low' || value === 'medium' || value === 'high' ? { verbosity: value } : {}
}

function shortId(id: string): string {
  return id.length > maxIdLength ? sha256Hex(id) : id
}

function fieldLosses(body: JsonObject, tier: JsonValue | undefined): ConversationLoss[] {
  const losses: ConversationLoss[] = []
  if (typeof tier === 'string' && !tiers.has(tier))
    losses.push({ path: 'service_tier', ...kinds.serviceTier })
  for (const name of ['mode', 'context']) {
    const value = jsonMember(jsonMember(body, 'reasoning'), name) ?? undefined
    if (value !== undefined) losses.push({ path: `reasoning.${name}`, ...kinds.unknownField })
  }
  for (const name of Object.keys(body)) {
    const value = body[name] ?? null
    // A conversation is not shortened by default.
    const saysNothing = value === null || (name === 'truncation' && value === 'disabled')
    if (readFields.has(name) || saysNothing) continue
    const path = name.length > maxIdLength ? `${name.slice(0, maxIdLength)}...` : name
    losses.push({ path, ...(name === 'prompt' ? kinds.neededField : kinds.unknownField) })
  }
  return losses
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
