import type { BodyEdit } from '../../conversation/body-edit.ts'
import type { Settings } from '../../conversation/generate-request.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { isOwn } from './answer-content.ts'
import { isSignedByVendor, sealedOf } from './to-turns.ts'
import { ownReasoningFormat } from './wire-names.ts'

/**
 * Returns the changes of settings in the names of the Messages API. A setting that the protocol does not have is left out.
 *
 * @param given - the settings of the body.
 * @param wanted - those to send.
 */
export function settingEdits(given: Settings, wanted: Settings, body: JsonObject): readonly BodyEdit[] {
  const edits: BodyEdit[] = []
  for (const name of Object.keys(editors)) {
    const value = wanted[name]
    if (value !== given[name])
      for (const edit of editors[name]!(value as JsonValue | undefined, body)) edits.push(edit)
  }
  return edits
}

type Editor = (value: JsonValue | undefined, body: JsonObject) => readonly BodyEdit[]

const sameName =
  (...path: readonly string[]): Editor =>
  value => [{ path, value }]

const editors: Readonly<Record<string, Editor>> = {
  temperature: sameName('temperature'),
  top_p: sameName('top_p'),
  top_k: sameName('top_k'),
  // The protocol requires it.
  max_completion_tokens: value => (value === undefined ? [] : [{ path: ['max_tokens'], value }]),
  stop: value => [{ path: ['stop_sequences'], value: typeof value === 'string' ? [value] : value }],
  parallel_tool_calls: (value, body) => {
    const disabled = value === false
    if (isObject(jsonMember(body, 'tool_choice'))) {
      return [{ path: ['tool_choice', 'disable_parallel_tool_use'], value: disabled }]
    }
    const hasTools = jsonItems(jsonMember(body, 'tools')).length > 0
    const choice = { type: 'auto', disable_parallel_tool_use: true }
    return disabled && hasTools ? [{ path: ['tool_choice'], value: choice }] : []
  },
  reasoning_effort: (value, body) => {
    const config = jsonMember(body, 'output_config')
    const effort: readonly BodyEdit[] =
      jsonMember(config, 'effort') === undefined
        ? []
        : [{ path: ['output_config', 'effort'], value: undefined }]
    if (value === undefined) return effort
    if (value === 'none') return [...effort, { path: ['thinking'], value: { type: 'disabled' } }]
    return [{ path: ['output_config', 'effort'], value: value === 'minimal' ? 'low' : value }]
  },
  service_tier: value => {
    const tier = value === 'default' ? 'standard_only' : value
    return tier === undefined || tier === 'auto' || tier === 'standard_only'
      ? [{ path: ['service_tier'], value: tier }]
      : []
  },
  safety_identifier: sameName('metadata', 'user_id'),
  user: sameName('metadata', 'user_id'),
}

/**
 * Returns the changes that reasoning of other protocols needs, which this gateway sealed, or sent without a signature: a vendor
 * refuses both. What was sealed is opened if it is the protocol's own, and left out otherwise.
 */
export function reasoningEdits(body: JsonObject): readonly BodyEdit[] {
  const edits: BodyEdit[] = []
  for (const [index, message] of jsonItems(jsonMember(body, 'messages')).entries()) {
    if (jsonMember(message, 'role') !== 'assistant') continue
    const content = jsonItems(jsonMember(message, 'content'))
    const value = ownBlocks(content)
    // A message without content is refused.
    if (value.length === 0 && content.length > 0) edits.push({ path: ['messages', index], value: undefined })
    else if (value !== content) edits.push({ path: ['messages', index, 'content'], value })
  }
  return edits
}

/** Returns the blocks that a vendor of the protocol can read; the same array if those are all. */
function ownBlocks(content: readonly JsonValue[]): readonly JsonValue[] {
  if (!content.some(isForeign)) return content
  const kept = content.filter(block => !isForeign(block))
  const details = content
    .flatMap(block => sealedOf(block)?.details ?? [])
    .filter(({ format }) => format === ownReasoningFormat)
  return details.every(isFirstThought) ? [...details.map(blockOf), ...kept] : kept
}

/** Whether a thought is complete, and was before all else: elsewhere, or in part, the vendor refuses it. */
function isFirstThought(detail: JsonObject): boolean {
  const { text, data, place: position } = detail
  return isOwn(detail) && position === undefined && (typeof text === 'string' || typeof data === 'string')
}

/** Whether a block of thinking is sealed, or has no signature. */
function isForeign(block: JsonValue): boolean {
  const type = jsonMember(block, 'type')
  return (type === 'thinking' || type === 'redacted_thinking') && !isSignedByVendor(block)
}

function blockOf({ text, signature, data }: JsonObject): JsonObject {
  return typeof data === 'string'
    ? { type: 'redacted_thinking', data }
    : { type: 'thinking', thinking: String(text), signature }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
