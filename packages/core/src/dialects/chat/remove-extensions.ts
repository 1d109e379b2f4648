import type { ExtensionRemover } from '../../contracts/dialect.ts'
import type { Adjustment, RequestExtension } from '../../contracts/provider.ts'
import type { ChatRequest, JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { choiceTypes, toolTypes } from './extensions.ts'

type Fields = Record<string, JsonValue | undefined>
type Adjust = (fields: Fields, adjustments: Adjustment[]) => void

const notSupported = 'not supported by this vendor'

/** How each extension is dropped or mapped. Media can be neither. */
const adjusts: { readonly [Name in RequestExtension]?: Adjust } = {
  service_tiers: (fields, adjustments) => drop(fields, 'service_tier', adjustments),
  tool_choice_any: (fields, adjustments) => {
    fields.tool_choice = 'required'
    adjustments.push({ parameter: 'tool_choice', action: 'mapped', detail: 'required' })
  },
  untyped_tools: (fields, adjustments) => {
    const typed = (item: JsonValue, path: string): JsonValue => {
      if ((jsonMember(item, 'type') ?? null) !== null) return item
      adjustments.push({ parameter: `${path}.type`, action: 'defaulted', detail: 'function' })
      return { ...(item as JsonObject), type: 'function' }
    }
    if (fields.tools !== undefined)
      fields.tools = jsonItems(fields.tools).map((tool, at) => typed(tool, `tools[${at}]`))
    changeMessages(fields, (message, path) => {
      const calls = jsonMember(message, 'tool_calls')
      if (!Array.isArray(calls)) return message
      return { ...message, tool_calls: calls.map((call, at) => typed(call, `${path}.tool_calls[${at}]`)) }
    })
  },
  thinking_parts: (fields, adjustments) =>
    changeMessages(fields, (message, path) => {
      const content = jsonMember(message, 'content')
      if (jsonMember(message, 'role') !== 'assistant' || !Array.isArray(content)) return message
      const kept = content.filter((part, at) => {
        if (jsonMember(part, 'type') !== 'thinking') return true
        adjustments.push({ parameter: `${path}.content[${at}]`, action: 'dropped', detail: notSupported })
        return false
      })
      if (kept.length === content.length) return message
      return { ...message, content: kept.length > 0 ? kept : '' }
    }),
  // Last, as it changes the positions of tools.
  server_tools: (fields, adjustments) => {
    const isOwn = (tool: JsonValue) => toolTypes.includes(jsonMember(tool, 'type') ?? 'function')
    const tools = jsonItems(fields.tools)
    for (const [at, tool] of tools.entries()) {
      if (!isOwn(tool))
        adjustments.push({ parameter: `tools[${at}]`, action: 'dropped', detail: notSupported })
    }
    const own = tools.filter(isOwn)
    if (own.length > 0) fields.tools = own
    else delete fields.tools
    const choosesOwn = choiceTypes.includes(jsonMember(fields.tool_choice, 'type') ?? 'function')
    if (own.length === 0 || !choosesOwn) drop(fields, 'tool_choice', adjustments)
    if (own.length === 0) drop(fields, 'parallel_tool_calls', adjustments)
  },
}

/** Drops or maps the extensions that a provider does not accept: for `unsupportedParameters: 'drop'`. */
export const removeExtensions: ExtensionRemover = missing => {
  if (missing.some(name => adjusts[name] === undefined)) return undefined
  return (input: ChatRequest) => {
    const fields = { ...input } as Fields
    const adjustments: Adjustment[] = []
    for (const [name, adjust] of Object.entries(adjusts)) {
      if (missing.includes(name as RequestExtension)) adjust(fields, adjustments)
    }
    return { input: fields as unknown as ChatRequest, adjustments }
  }
}

function drop(fields: Fields, name: string, adjustments: Adjustment[]): void {
  if (fields[name] === undefined) return
  delete fields[name]
  adjustments.push({ parameter: name, action: 'dropped', detail: notSupported })
}

function changeMessages(fields: Fields, change: (message: JsonObject, path: string) => JsonObject): void {
  fields.messages = jsonItems(fields.messages).map((message, at) =>
    change(message as JsonObject, `messages[${at}]`),
  )
}
