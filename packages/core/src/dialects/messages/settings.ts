import type { Settings, ThinkingSetting } from '../../conversation/generate-request.ts'
import type { ServerTools } from '../../conversation/server-tools.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import type { ChatRequest, JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import type { EndUser } from './end-user.ts'
import { losses as kinds } from './losses.ts'
import { readTools } from './tools.ts'

/** The settings of a request in the names of chat completions. */
export interface MessagesSettings {
  readonly settings: Settings
  /** How much the model may think; `undefined` if the request does not say that it may. */
  readonly thinking: ThinkingSetting | undefined
  /** What other protocols cannot express. */
  readonly losses: readonly ConversationLoss[]
  /** The caller's names of settings, by their names in chat completions. */
  readonly renamed: Readonly<Record<string, string>>
  /** The index of each tool in the caller's list. */
  readonly toolIndices: readonly number[]
  readonly serverTools: ServerTools
}

/** Fields that change the answer, and that only the vendor of the protocol has. */
const needed = ['container', 'mcp_servers'] as const

/**
 * Fields that are read here, and those that say nothing to other vendors. No provider restricts them. The others are reported.
 */
export const readFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
])

/** The longest text that chat completions take as the id of an end user, and as that of a cache. */
const maxIdLength = 64

const names: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_tokens',
  stop: 'stop_sequences',
  'tools[].function.parameters': 'tools[].input_schema',
  'tools[].function': 'tools[]',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  safety_identifier: 'metadata.user_id',
  user: 'metadata.user_id',
  prompt_cache_key: 'metadata.user_id',
  reasoning_effort: 'thinking',
  response_format: 'output_config.format',
  'response_format.json_schema': 'output_config.format',
}

/**
 * Returns the settings of a body. It never throws: an invalid value is left out, and is for a validation to refuse.
 *
 * @param user - the end user of the body.
 * @param conversationKey - the name of the session.
 */
export function readSettings(
  body: JsonObject,
  user: EndUser | undefined,
  conversationKey: string | undefined,
): MessagesSettings {
  const { settings: tools, losses: toolLosses, indices, searchPath, serverTools } = readTools(body)
  const config = jsonMember(body, 'output_config')
  const effort = jsonMember(config, 'effort')
  const reasoning = effortOf(jsonMember(body, 'thinking'), effort)
  const format = jsonMember(config, 'format') ?? jsonMember(body, 'output_format')
  const stop = jsonItems(jsonMember(body, 'stop_sequences')).filter(each => typeof each === 'string')
  const tier = jsonMember(body, 'service_tier')
  const settings: Settings = {
    model: String(jsonMember(body, 'model') ?? ''),
    stream: jsonMember(body, 'stream') === true,
    ...numbers(body),
    ...(stop.length > 0 && { stop }),
    ...tools,
    ...(reasoning !== undefined && { reasoning_effort: reasoning }),
    ...responseFormat(format),
    ...(user !== undefined && { safety_identifier: shortId(user.id) }),
    ...(conversationKey !== undefined && { prompt_cache_key: shortId(conversationKey) }),
    ...(tier === 'auto' && { service_tier: 'auto' }),
    ...(tier === 'standard_only' && { service_tier: 'default' }),
  }
  const renamed = {
    ...names,
    ...(searchPath !== undefined && { web_search_options: searchPath }),
    ...(effort !== undefined && { reasoning_effort: 'output_config.effort' }),
    ...(jsonMember(config, 'format') === undefined && {
      response_format: 'output_format',
      'response_format.json_schema': 'output_format',
    }),
  }
  return {
    settings,
    thinking: thinkingOf(jsonMember(body, 'thinking'), efforts.has(effort)),
    losses: [...toolLosses, ...fieldLosses(body)],
    renamed,
    toolIndices: indices,
    serverTools,
  }
}

function numbers(body: JsonObject): Partial<Settings> {
  const numberOf = (name: string) => {
    const value = jsonMember(body, name)
    return typeof value === 'number' ? value : undefined
  }
  const bound = numberOf('max_tokens')
  const temperature = numberOf('temperature')
  const topP = numberOf('top_p')
  const topK = numberOf('top_k')
  return {
    ...(bound !== undefined && { max_completion_tokens: bound }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  }
}

const efforts: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

/** A budget below the first number of tokens is low, below the second one medium. */
const mediumBudget = 4_096
const highBudget = 16_384

/** An adaptive model decides by itself how much it thinks, as others do without a setting. */
function effortOf(
  thinking: JsonValue | undefined,
  effort: JsonValue | undefined,
): ChatRequest['reasoning_effort'] {
  if (efforts.has(effort)) return effort as ChatRequest['reasoning_effort']
  switch (jsonMember(thinking, 'type')) {
    case 'disabled':
      return 'none'
    case 'enabled': {
      const budget = jsonMember(thinking, 'budget_tokens')
      if (typeof budget !== 'number') return undefined
      return budget < mediumBudget ? 'low' : budget < highBudget ? 'medium' : 'high'
    }
    default:
      return undefined
  }
}

function thinkingOf(thinking: JsonValue | undefined, hasEffort: boolean): ThinkingSetting | undefined {
  const type = jsonMember(thinking, 'type')
  const shown = jsonMember(thinking, 'display')
  const display: Pick<ThinkingSetting, 'display'> =
    shown === 'summarized' || shown === 'omitted' ? { display: shown } : {}
  if (type === 'adaptive') return { hasEffort, ...display }
  const budgetTokens = jsonMember(thinking, 'budget_tokens')
  if (type !== 'enabled' || typeof budgetTokens !== 'number') return undefined
  return { budgetTokens, hasEffort, ...display }
}

function responseFormat(format: JsonValue | undefined): Pick<Settings, 'response_format'> {
  const schema = jsonMember(format, 'schema')
  const isSchema =
    jsonMember(format, 'type') === 'json_schema' && typeof schema === 'object' && schema !== null
  if (!isSchema || Array.isArray(schema)) return {}
  const json_schema = { name: 'response', schema: schema as JsonObject, strict: true }
  return { response_format: { type: 'json_schema', json_schema } }
}

function shortId(id: string): string {
  return id.length > maxIdLength ? sha256Hex(id) : id
}

function fieldLosses(body: JsonObject): ConversationLoss[] {
  const losses: ConversationLoss[] = []
  for (const name of Object.keys(body)) {
    if (readFields.has(name) || (body[name] ?? null) === null) continue
    const isNeeded = (needed as readonly string[]).includes(name) && !isEmptyList(body[name])
    const path = name.length > maxIdLength ? `${name.slice(0, maxIdLength)}...` : name
    losses.push({ path, ...(isNeeded ? kinds.neededField : kinds.unknownField) })
  }
  return losses
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** The fields of a request that the protocol names. */
export const messagesFields: ReadonlySet<string> = new Set([
  ...readFields,
  ...needed,
  'context_management',
  'speed',
  'inference_geo',
  'diagnostics',
  'user_profile_id',
  'workspace_id',
  'betas',
])
