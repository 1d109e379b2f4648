import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

/** What vendors of other protocols want back with the next request: reasoning, and what came with each call. */
export interface SealedReasoning {
  /** As `reasoning_details` of chat completions: `format` names the vendor. */
  readonly details: readonly JsonObject[]
  /** By the id of the call: its `extra_content`. */
  readonly calls: ReadonlyMap<string, JsonObject>
}

/** What a sealed text begins with: the version of its format. */
const prefix = 'sluice1.'

/** Longer ones are neither written nor read, in UTF-16 code units. */
const maxLength = 4_194_304

const maxCalls = 128

/**
 * Returns reasoning as one printable text, for clients whose protocol has only a signature. `undefined` if there is nothing that
 * a vendor could check, or too much of it.
 */
export function sealReasoning({ details, calls }: SealedReasoning): string | undefined {
  if (calls.size === 0 && !details.some(isChecked)) return undefined
  const text = prefix + base64Of(JSON.stringify({ details, calls: [...calls] }))
  return text.length <= maxLength ? text : undefined
}

/** Opens a text of `sealReasoning`. `undefined` for any other. Its content is as trustworthy as the rest of the request. */
export function openReasoning(text: string): SealedReasoning | undefined {
  if (!text.startsWith(prefix) || text.length > maxLength) return undefined
  let value: JsonValue
  try {
    value = JSON.parse(textOfBase64(text.slice(prefix.length))) as JsonValue
  } catch {
    return undefined
  }
  const calls = new Map<string, JsonObject>()
  for (const entry of jsonItems(jsonMember(value, 'calls')).slice(0, maxCalls)) {
    const [id, extra] = jsonItems(entry)
    if (typeof id === 'string' && isObject(extra)) calls.set(id, extra)
  }
  return { details: jsonItems(jsonMember(value, 'details')).filter(isObject), calls }
}

/** Whether a block of reasoning has a signature, or is encrypted. */
function isChecked({ signature, data }: JsonObject): boolean {
  return (typeof signature === 'string' && signature !== '') || (typeof data === 'string' && data !== '')
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  // A call takes a bounded number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  }
  return btoa(binary)
}

function textOfBase64(text: string): string {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}
