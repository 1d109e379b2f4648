import type { AnswerIdentity } from '../../contracts/dialect.ts'
import type { JsonObject, JsonValue, Usage } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { responseUsage } from './usage.ts'

/** How far a response has come, and its content so far. */
export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
  readonly output: readonly JsonObject[]
  /** Absent: nothing has been counted. */
  readonly usage?: Usage | undefined
  /** Why it is incomplete. */
  readonly reason?: 'max_output_tokens' | 'content_filter' | undefined
  readonly error?: JsonObject | undefined
  /** The service tier that the vendor reports. */
  readonly serviceTier?: string | undefined
  /** Unix time in seconds at which it was completed. */
  readonly completedAt?: number | undefined
  /** Whether the gateway has stored it. Default `false`. */
  readonly stored?: boolean | undefined
}

/** Settings that are returned as the caller sent them, with what they are without a value. */
const settings: Readonly<Record<string, JsonValue>> = {
  previous_response_id: null,
  instructions: null,
  tool_choice: 'auto',
  truncation: 'disabled',
  parallel_tool_calls: true,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  temperature: 1,
  max_output_tokens: null,
  max_tool_calls: null,
  background: false,
  metadata: {},
  safety_identifier: null,
  prompt_cache_key: null,
  user: null,
}

/** Returns the settings of a request as a response repeats them. */
export function responseSettings(body: JsonObject): JsonObject {
  const entries = Object.entries(settings).map(([name, value]) => [name, jsonMember(body, name) ?? value])
  return {
    ...Object.fromEntries(entries),
    tools: jsonItems(jsonMember(body, 'tools')).map(completeTool),
    text: completeText(jsonMember(body, 'text')),
    reasoning: { effort: null, summary: null, ...objectOf(jsonMember(body, 'reasoning')) },
    service_tier: jsonMember(body, 'service_tier') ?? 'default',
  }
}

/** Returns a response, with all members that clients of the protocol require. `given`: what `responseSettings` returned. */
export function responseObject(
  { id, created, model, cost }: Pick<AnswerIdentity, 'id' | 'created' | 'model' | 'cost'>,
  given: JsonObject,
  state: ResponseState,
): JsonObject {
  const { status, output, usage, reason, error, serviceTier, completedAt, stored = false } = state
  return {
    id,
    object: 'response',
    created_at: created,
    completed_at: status === 'completed' ? (completedAt ?? created) : null,
    status,
    incomplete_details: reason === undefined ? null : { reason },
    error: error ?? null,
    model,
    output,
    usage: usage === undefined ? null : responseUsage(usage, cost?.()),
    ...given,
    store: stored,
    ...(status !== 'queued' && status !== 'in_progress' && { service_tier: serviceTier ?? 'default' }),
  }
}

/** Whether a response runs in the background. */
export function runsInBackground(body: JsonObject): boolean {
  return jsonMember(body, 'background') === true
}

/** Whether the caller wants reasoning back in a form that it can send with its next request. */
export function asksForReasoning(body: JsonObject): boolean {
  if (jsonMember(body, 'store') === false) return true
  return jsonItems(jsonMember(body, 'include')).includes('reasoning.encrypted_content')
}

/** Whether the caller wants to read a summary of the reasoning. */
export function asksForSummary(body: JsonObject): boolean {
  const reasoning = jsonMember(body, 'reasoning')
  return (jsonMember(reasoning, 'summary') ?? jsonMember(reasoning, 'generate_summary') ?? null) !== null
}

function completeTool(tool: JsonValue): JsonValue {
  if (jsonMember(tool, 'type') !== 'function') return tool
  return {
    ...objectOf(tool),
    description: jsonMember(tool, 'description') ?? null,
    parameters: jsonMember(tool, 'parameters') ?? null,
    strict: jsonMember(tool, 'strict') ?? true,
  }
}

function completeText(text: JsonValue | undefined): JsonObject {
  const format = jsonMember(text, 'format') ?? { type: 'text' }
  if (jsonMember(format, 'type') !== 'json_schema') return { ...objectOf(text), format }
  const complete = {
    ...objectOf(format),
    description: jsonMember(format, 'description') ?? null,
    strict: jsonMember(format, 'strict') ?? false,
  }
  return { ...objectOf(text), format: complete }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
