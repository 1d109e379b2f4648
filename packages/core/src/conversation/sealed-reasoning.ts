import type { JsonObject, JsonValue } from '../protocol/chat.ts'
import { jsonItems, jsonMember } from '../protocol/json-members.ts'

/** What vendors of other protocols want back with the next request: reasoning, and what came with each call. */
export interface SealedReasoning {
  /** Who alone can read it: a digest of lowercase hexadecimal digits. Empty if it is not known. */
  readonly realm?: string | undefined
  /** As `reasoning_details` of chat completions: `format` names the vendor. */
  readonly details: readonly JsonObject[]
  /** By the id of the call: its `extra_content`. */
  readonly calls: ReadonlyMap<string, JsonObject>
}

/** What a sealed text begins with: the version of its format. The realm and the content follow, each after a dot. */
const prefix = 'sluice1.'

/** Longer ones are neither written nor read, in UTF-16 code units. */
const maxLength = 4_194_304

/** Maximum number of blocks of reasoning, and of calls. */
const maxDetails = 1_024
const maxCalls = 128

/** How deep a member of what is sealed may be. */
const maxDepth = 4

/**
 * Returns reasoning as one printable text, for clients whose protocol has only a signature. `undefined` if there is nothing that
 * a vendor could check, or too much of it.
 */
export function sealReasoning({ realm = '', details, calls }: SealedReasoning): string | undefined {
  if (calls.size === 0 && !details.some(isChecked)) return undefined
  const text = `${prefix}${realm}.${base64Of(JSON.stringify({ details, calls: [...calls] }))}`
  return text.length <= maxLength ? text : undefined
}

/**
 * Opens a text of `sealReasoning`. `undefined` for any other. Its content is as trustworthy as the rest of the request: the caller
 * may have written it.
 */
export function openReasoning(text: string): SealedReasoning | undefined {
  const realm = sealedRealm(text)
  if (realm === undefined) return undefined
  let value: JsonValue
  try {
    value = JSON.parse(textOfBase64(text.slice(prefix.length + realm.length + 1))) as JsonValue
  } catch {
    return undefined
  }
  const calls = new Map<string, JsonObject>()
  for (const entry of jsonItems(jsonMember(value, 'calls')).slice(0, maxCalls)) {
    const [id, extra] = jsonItems(entry)
    if (typeof id === 'string' && isFlatObject(extra)) calls.set(id, extra)
  }
  const details = jsonItems(jsonMember(value, 'details')).slice(0, maxDetails).filter(isFlatObject)
  return { realm, details, calls }
}

/** The realm of a text that looks like a sealed one and cannot be opened. No target has it. */
const unreadableRealm = 'unreadable'

/** What sealed texts of any version begin with. No vendor's own texts do. */
const anyVersion = /^sluice\d+\./

/**
 * Returns who alone can read a text of `sealReasoning`: its realm, or `unreadableRealm` for one that was changed, is too long, or
 * of another version. `undefined` for a text that is a vendor's own.
 */
export function readerOf(text: string): string | undefined {
  if (!anyVersion.test(text.slice(0, 16))) return undefined
  return openReasoning(text)?.realm ?? unreadableRealm
}

/** Returns why a text of a realm is not sent to a target of another. */
export function whyUnread(realm: string | undefined): string {
  return realm === unreadableRealm
    ? 'it was changed, or is too long'
    : 'only another vendor, account or region can read it'
}

/** Returns the realm of a text that looks like one of `sealReasoning`, without opening it. `undefined` for any other. */
function sealedRealm(text: string): string | undefined {
  if (!text.startsWith(prefix) || text.length > maxLength) return undefined
  return /^[0-9a-f]{0,64}(?=\.)/.exec(text.slice(prefix.length, prefix.length + 65))?.[0]
}

function isFlatObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && isShallow(value, maxDepth)
}

/** Whether a value is no deeper than some levels, and has no member that is the name of a prototype. */
function isShallow(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every(member => isShallow(member, levels - 1))
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
