import type { FoundExtension } from '../../contracts/dialect.ts'
import type { RequestExtension } from '../../contracts/provider.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import { checkerOf } from '../../validation/fast-schema.ts'
import { serviceTiers } from '../../validation/settings-schema.ts'
import { userPart } from './message-schema.ts'

/** The fields of a request, with values outside the protocol replaced. */
export interface StandardRequest {
  /** Valid by the protocol, as far as extensions are concerned. Paths are those of the request. It shares what is unchanged. */
  readonly fields: Record<string, unknown>
  /** Each extension once, where the request uses it first. */
  readonly found: readonly FoundExtension[]
}

/**
 * Finds the extensions that a request uses, and replaces each with a value of the protocol, so that its schemas can validate the
 * rest. Values that are no known extension stay as they are.
 */
export function standardRequest(fields: Readonly<Record<string, unknown>>): StandardRequest {
  const finder = new ExtensionFinder()
  const standard: Record<string, unknown> = Object.assign(Object.create(null), fields)
  replace(standard, 'messages', value =>
    mapList(value, (item, at) => finder.message(item, `messages[${at}]`)),
  )
  replace(standard, 'tools', value => mapList(value, (item, at) => finder.tool(item, `tools[${at}].type`)))
  replace(standard, 'tool_choice', value => finder.toolChoice(value))
  replace(standard, 'service_tier', value => finder.serviceTier(value))
  return { fields: standard, found: finder.found }
}

/** Stand for content, and for a tool. */
const noText = { type: 'text', text: '' }
const someTool = { type: 'custom', custom: { name: 'tool' } }

const linkParts: readonly RequestExtension[] = ['document_url', 'video_url', 'audio_url', 'file_url']
/** The types of tools that callers run. */
export const toolTypes: readonly JsonValue[] = ['function', 'custom']
export const choiceTypes: readonly JsonValue[] = [...toolTypes, 'allowed_tools']
const knownTiers: readonly JsonValue[] = serviceTiers
/** The types of a vendor's tools, and its service tiers. */
const vendorName = /^[\w.:/-]{1,64}$/

class ExtensionFinder {
  readonly found: FoundExtension[] = []

  message(message: JsonValue, path: string): JsonValue {
    const role = jsonMember(message, 'role')
    const content = (change: (part: JsonValue, path: string) => JsonValue) =>
      changed(
        message,
        'content',
        mapList(jsonMember(message, 'content'), (part, at) => change(part, `${path}.content[${at}]`)),
      )
    if (role === 'user') return content((part, at) => this.#userPart(part, at))
    if (role === 'tool') return content((part, at) => this.#resultPart(part, at))
    if (role !== 'assistant') return message
    const calls = mapList(jsonMember(message, 'tool_calls'), (call, at) =>
      this.#typed(call, `${path}.tool_calls[${at}].type`),
    )
    return changed(
      content((part, at) => this.#assistantPart(part, at)),
      'tool_calls',
      calls,
    )
  }

  tool(tool: JsonValue, path: string): JsonValue {
    const type = jsonMember(tool, 'type')
    if (!isVendorName(type) || toolTypes.includes(type)) return this.#typed(tool, path)
    return this.#add('server_tools', path, someTool)
  }

  toolChoice(choice: JsonValue): JsonValue {
    if (choice === 'any') return this.#add('tool_choice_any', 'tool_choice', 'required')
    const type = jsonMember(choice, 'type')
    if (!isVendorName(type) || choiceTypes.includes(type)) return choice
    return this.#add('server_tools', 'tool_choice.type', 'auto')
  }

  serviceTier(tier: JsonValue): JsonValue {
    if (!isVendorName(tier) || knownTiers.includes(tier)) return tier
    return this.#add('service_tiers', 'service_tier', 'auto')
  }

  #userPart(part: JsonValue, path: string): JsonValue {
    const type = jsonMember(part, 'type')
    const link = linkParts.find(name => name === type)
    if (link !== undefined)
      return isLink(jsonMember(part, link)) ? this.#add(link, `${path}.type`, noText) : part
    const media = typeof type === 'string' ? jsonMember(part, type) : undefined
    if (typeof media !== 'string') return part
    const add = (standard: JsonValue) => this.#add('string_media', `${path}.${String(type)}`, standard)
    if (type === 'image_url') return add({ ...(part as JsonObject), image_url: { url: media } })
    if (type !== 'input_audio' || !(base64.test(media) || isLink(media))) return part
    return add({ ...(part as JsonObject), input_audio: { data: media, format: 'wav' } })
  }

  /** A part of a tool message: text by the protocol, else as in a user's message. */
  #resultPart(part: JsonValue, path: string): JsonValue {
    if (jsonMember(part, 'type') === 'text') return part
    const standard = this.#userPart(part, path)
    const issues: Parameters<typeof checkUserPart>[1] = []
    checkUserPart(standard, issues)
    return issues.length > 0 ? standard : this.#add('tool_result_media', `${path}.type`, noText)
  }

  #assistantPart(part: JsonValue, path: string): JsonValue {
    if (jsonMember(part, 'type') !== 'thinking') return part
    const thinking = jsonMember(part, 'thinking')
    const isThinking = typeof thinking === 'string' || (Array.isArray(thinking) && thinking.every(isObject))
    return isThinking ? this.#add('thinking_parts', `${path}.type`, noText) : part
  }

  /** A function, or the call of one, with its type. */
  #typed(item: JsonValue, path: string): JsonValue {
    const isUntyped = (jsonMember(item, 'type') ?? null) === null && isObject(jsonMember(item, 'function'))
    return isUntyped ? this.#add('untyped_tools', path, { ...(item as JsonObject), type: 'function' }) : item
  }

  #add(name: RequestExtension, path: string, standard: JsonValue): JsonValue {
    if (!this.found.some(extension => extension.name === name)) this.found.push({ name, path })
    return standard
  }
}

const checkUserPart = checkerOf(userPart)
const base64 = /^[\w+/=-]+$/

/** A link as text, or as the `url` of an object. Only vendors follow it: other schemes could name their files. */
function isLink(value: JsonValue | undefined): boolean {
  const url = typeof value === 'string' ? value : jsonMember(value, 'url')
  return typeof url === 'string' && /^(?:https?:\/\/|data:)/i.test(url)
}

function isVendorName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && vendorName.test(value)
}

function isObject(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function replace(
  fields: Record<string, unknown>,
  name: string,
  change: (value: JsonValue) => JsonValue | undefined,
): void {
  if (fields[name] !== undefined) fields[name] = change(fields[name] as JsonValue)
}

/** Maps an array; returns any other value as it is. */
function mapList(
  value: JsonValue | undefined,
  change: (item: JsonValue, at: number) => JsonValue,
): JsonValue | undefined {
  return Array.isArray(value) ? value.map(change) : value
}

/** Returns the object with another member, or the same one if it has none of the name. */
function changed(value: JsonValue, name: string, member: JsonValue | undefined): JsonValue {
  return member === undefined ? value : { ...(value as JsonObject), [name]: member }
}
