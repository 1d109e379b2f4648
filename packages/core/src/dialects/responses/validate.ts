import type { ReadRules } from '../../contracts/dialect.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { withoutNulls } from '../../protocol/without-nulls.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { itemKinds, itemType } from './item-types.ts'
import { responsesSchemas } from './schema.ts'

/** Fields that only the gateway reads: their values are checked whoever gets the request. */
const ownFields = [
  'model',
  'stream',
  'store',
  'background',
  'previous_response_id',
  'max_output_tokens',
] as const

/**
 * Checks what the gateway itself reads of a request, and that it refers to nothing that is stored elsewhere. Throws `GatewayError`
 * (400).
 *
 * @param isRestored - whether the gateway has resolved the references to what it has stored.
 * @param rules - whether the gateway can run responses in the background.
 */
export function checkFieldsOfGateway(
  body: JsonObject,
  isRestored: boolean,
  { runsInBackground = false }: Pick<ReadRules, 'runsInBackground'>,
): void {
  if (!isRestored) refuseReferences(body)
  const own = Object.fromEntries(
    ownFields.flatMap(name => (Object.hasOwn(body, name) ? [[name, body[name]]] : [])),
  )
  checkFields(withoutNulls(own), responsesSchemas(false))
  const input = jsonMember(body, 'input') ?? undefined
  const hasPrompt = (jsonMember(body, 'prompt') ?? undefined) !== undefined
  if (input === undefined && !hasPrompt && !isRestored) {
    throw new GatewayError('missing_required_parameter', {
      message: "Missing required parameter: 'input'.",
      param: 'input',
    })
  }
  if (input !== undefined && typeof input !== 'string' && !Array.isArray(input))
    checkFields({ input }, responsesSchemas(false))
  if (jsonMember(body, 'background') === true) checkBackground(body, runsInBackground)
  if ((jsonMember(body, 'conversation') ?? undefined) !== undefined) {
    throw new GatewayError('unsupported_parameter', {
      message: "Unsupported parameter: 'conversation'. Send 'previous_response_id', or the items themselves.",
      param: 'conversation',
    })
  }
}

/** The caller of a response in the background reads it from the store. Throws `GatewayError` (400). */
function checkBackground(body: JsonObject, isPossible: boolean): void {
  if (!isPossible) {
    throw new GatewayError('unsupported_parameter', {
      message: "Unsupported parameter: 'background'. This gateway runs no responses in the background.",
      param: 'background',
    })
  }
  if (jsonMember(body, 'store') === false) {
    throw new GatewayError('invalid_parameter_combination', {
      message: "'background' cannot be combined with 'store: false': a response in the background is stored.",
      param: 'background',
    })
  }
}

/** Nothing is stored: no id can be known. Throws `GatewayError` (400). */
function refuseReferences(body: JsonObject): void {
  const previous = jsonMember(body, 'previous_response_id') ?? undefined
  if (previous !== undefined) {
    throw new GatewayError('previous_response_not_found', {
      message: `Previous response with id '${shorten(String(previous))}' not found. This gateway stores no responses.`,
      param: 'previous_response_id',
    })
  }
  const reference = jsonItems(jsonMember(body, 'input')).find(item => itemType(item) === 'item_reference')
  if (reference === undefined) return
  const id = shorten(String(jsonMember(reference, 'id')))
  throw invalidInput(`Item with id '${id}' not found. This gateway stores no responses.`)
}

/** Checks all fields, and the items of the input. Throws `GatewayError` (400). */
export function checkRequest(body: JsonObject, live: boolean): void {
  checkFields(withoutNulls(body), responsesSchemas(live))
  const input = jsonMember(body, 'input')
  const items = jsonItems(input)
  // Instructions alone are a conversation that some vendors take.
  const isEmpty = input === '' || (Array.isArray(input) && input.length === 0)
  if (isEmpty && !jsonMember(body, 'instructions')) throw emptyInput(input)
  if (live) checkIds(items)
  checkPairs(items, live)
  checkChoice(body, items)
}

function emptyInput(input: JsonValue): GatewayError {
  const kind = typeof input === 'string' ? 'string' : 'array'
  return new GatewayError(`empty_${kind}`, {
    message: `Invalid 'input': empty ${kind}. Expected the words of a user, or items.`,
    param: 'input',
  })
}

/** What the ids of messages and of reasoning begin with. */
const prefixes: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs' }

function checkIds(items: readonly JsonValue[]): void {
  const ids = new Set<string>()
  for (const [index, item] of items.entries()) {
    const id = jsonMember(item, 'id')
    const type = itemType(item)
    if (typeof id !== 'string' || type === 'item_reference') continue
    const prefix = Object.hasOwn(prefixes, type) ? prefixes[type] : prefixOf(type)
    const param = `input[${index}].id`
    if (prefix !== undefined && !id.startsWith(prefix)) {
      const message = `Invalid '${param}': '${shorten(id)}'. Expected an ID that begins with '${prefix}'.`
      throw new GatewayError('invalid_value', { message, param })
    }
    if (ids.has(id)) {
      const message = `Duplicate item found with id ${shorten(id)}. Remove duplicate items from your input and try again.`
      throw new GatewayError('invalid_request', { message, param: 'input' })
    }
    ids.add(id)
  }
}

function prefixOf(type: string): string | undefined {
  return Object.hasOwn(itemKinds, type) ? itemKinds[type]!.prefix : undefined
}

/** Checks that each result of a tool has its call before it, and in the strict profile each call its result. */
function checkPairs(items: readonly JsonValue[], live: boolean): void {
  const calls = new Set<string>()
  const open = new Set<string>()
  for (const item of items) {
    const type = itemType(item)
    const kind = Object.hasOwn(itemKinds, type) ? itemKinds[type]! : undefined
    const isHosted = jsonMember(item, 'execution') === 'server'
    if (kind?.does === 'call' && !isHosted) {
      for (const id of callIds(item)) calls.add(id)
      open.add(callIds(item)[0] ?? '')
    } else if (kind?.does === 'result' && !isHosted) {
      const [id = ''] = callIds(item)
      if (!calls.has(id))
        throw invalidInput(`No tool call found for ${typeWords(type)} with call_id ${shorten(id)}.`)
      open.delete(id)
    } else if (live && type === 'message' && jsonMember(item, 'role') === 'user') checkAnswered(open)
  }
  if (live) checkAnswered(open)
}

/** Of some tools a result has the id of the call's item. */
function callIds(item: JsonValue): readonly string[] {
  const ids = [jsonMember(item, 'call_id'), jsonMember(item, 'id')]
  return ids.filter(id => typeof id === 'string')
}

function checkAnswered(open: ReadonlySet<string>): void {
  const [id] = open
  if (id !== undefined) throw invalidInput(`No tool output found for function call ${shorten(id)}.`)
}

function typeWords(type: string): string {
  return type.replaceAll('_', ' ')
}

function invalidInput(message: string): GatewayError {
  return new GatewayError('invalid_request', { message, param: 'input' })
}

/** Checks that a choice names a tool of the request. */
function checkChoice(body: JsonObject, items: readonly JsonValue[]): void {
  const choice = jsonMember(body, 'tool_choice')
  const type = jsonMember(choice, 'type')
  if (type !== 'function' && type !== 'custom') return
  const name = jsonMember(choice, 'name')
  const lists = [body, ...items].map(owner => jsonItems(jsonMember(owner, 'tools')))
  const isNamed = (tool: JsonValue): boolean =>
    (jsonMember(tool, 'type') === type && jsonMember(tool, 'name') === name) ||
    (jsonMember(tool, 'type') === 'namespace' && jsonItems(jsonMember(tool, 'tools')).some(isNamed))
  if (lists.some(tools => tools.some(isNamed))) return
  throw new GatewayError('invalid_request', {
    message: `Tool choice '${type}' not found in 'tools' parameter.`,
    param: 'tool_choice',
  })
}
