import type { BodyEdit } from '../../conversation/body-edit.ts'
import type { Settings } from '../../conversation/generate-request.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { runsInBackground } from './response-object.ts'
import { sealedOf } from './to-turns.ts'
import { ownReasoningFormat } from './wire-names.ts'

/** The members of the Responses API that settings stand for, by their names in chat completions. */
const members: Readonly<Record<string, readonly string[]>> = {
  temperature: ['temperature'],
  top_p: ['top_p'],
  presence_penalty: ['presence_penalty'],
  frequency_penalty: ['frequency_penalty'],
  max_completion_tokens: ['max_output_tokens'],
  parallel_tool_calls: ['parallel_tool_calls'],
  reasoning_effort: ['reasoning', 'effort'],
  verbosity: ['text', 'verbosity'],
  service_tier: ['service_tier'],
  user: ['user'],
  safety_identifier: ['safety_identifier'],
  prompt_cache_key: ['prompt_cache_key'],
  prompt_cache_retention: ['prompt_cache_retention'],
  metadata: ['metadata'],
}

/**
 * Returns the changes of settings in the names of the Responses API. A setting that the protocol does not have is left out.
 *
 * @param given - the settings of the body.
 * @param wanted - those to send.
 */
export function settingEdits(given: Settings, wanted: Settings): readonly BodyEdit[] {
  return Object.entries(members)
    .filter(([name]) => wanted[name] !== given[name])
    .map(([name, path]) => ({ path, value: wanted[name] as JsonValue | undefined }))
}

/** Returns the changes of a request that runs in the background: of the gateway, and never of a vendor. */
export function backgroundEdits(body: JsonObject): readonly BodyEdit[] {
  return runsInBackground(body) ? [{ path: ['background'], value: undefined }] : []
}

/**
 * Returns the changes that reasoning needs which this gateway sealed, and that which was left out: an item is opened if it is the
 * protocol's own, and removed otherwise, since a vendor cannot read it.
 *
 * @param left - the indices of items whose reasoning was left out.
 */
export function reasoningEdits(body: JsonObject, left: readonly number[]): readonly BodyEdit[] {
  const removed = new Set(left)
  const edits: BodyEdit[] = []
  for (const [index, item] of jsonItems(jsonMember(body, 'input')).entries()) {
    const path = ['input', index]
    if (removed.has(index)) edits.push({ path, value: undefined })
    else {
      const sealed = sealedOf(item)
      if (sealed !== undefined) edits.push({ path, value: openedItem(item as JsonObject, sealed.details) })
    }
  }
  return edits
}

function openedItem(item: JsonObject, details: readonly JsonObject[]): JsonObject | undefined {
  const detail = details.find(({ format, data }) => format === ownReasoningFormat && typeof data === 'string')
  if (detail === undefined) return undefined
  const { content: _, ...rest } = item
  return { ...rest, ...(typeof detail.id === 'string' && { id: detail.id }), encrypted_content: detail.data }
}
