import type { ExtensionPolicy, ReadRequest, ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { MessagesGenerateRequest, RequestSource } from './request.ts'
import { messagesFields, readFields } from './settings.ts'
import { findServerTool } from './tools.ts'
import { checkConversation } from './validate-conversation.ts'
import { checkFields, checkFieldsOfGateway, checkVersion, isStrict } from './validate-fields.ts'

/**
 * Validates a request in the Messages API. A request that only vendors of the protocol get is theirs to validate: then only what
 * the gateway itself reads is checked. Fields, blocks and tools of unknown types are valid.
 *
 * @throws GatewayError 400, with the first error.
 */
export function readMessages(draft: Draft, rules: ReadRules, extensions: ExtensionPolicy): ReadRequest {
  return read(draft, rules, extensions, true)
}

/** Validates a request for the number of its tokens, which has no `max_tokens`. Throws as `readMessages` does. */
export function readCount(draft: Draft, rules: ReadRules, extensions: ExtensionPolicy): ReadRequest {
  return read(draft, rules, extensions, false)
}

function read(draft: Draft, rules: ReadRules, extensions: ExtensionPolicy, generates: boolean): ReadRequest {
  const { body, headers } = draft
  if (rules.unknownParameters === 'reject') refuseUnknown(body)
  checkFieldsOfGateway(body, generates, extensions.passes)
  if (!extensions.passes) {
    checkVersion(headers)
    checkFields(body, headers, rules)
    checkConversation(body, isStrict(headers, rules))
  }
  const serverTool = findServerTool(body)
  return {
    request: new MessagesGenerateRequest(new RequestSource(draft)),
    unknownFields: unknownFields(body),
    serverTool: serverTool && `${serverTool}.type`,
    // Clients ask for much more than most models can answer.
    lowersMaxOutput: generates && !extensions.passes,
  }
}

/** The names of fields that a provider may restrict. */
function unknownFields(body: JsonObject): readonly string[] | undefined {
  const names = Object.keys(body).filter(
    name =>
      !readFields.has(name) && (body[name] ?? null) !== null && !(name === contextField && onlyClears(body)),
  )
  return names.length === 0 ? undefined : names
}

const contextField = 'context_management'

/** Whether the context is only shortened, as coding clients want it in each request: that generates nothing. */
function onlyClears(body: JsonObject): boolean {
  const context = jsonMember(body, contextField)
  const hasOthers = typeof context !== 'object' || Object.keys(context ?? {}).some(name => name !== 'edits')
  const types = jsonItems(jsonMember(context, 'edits')).map(edit => jsonMember(edit, 'type'))
  return !hasOthers && types.every(type => typeof type === 'string' && type.startsWith('clear_'))
}

function refuseUnknown(body: JsonObject): void {
  const unknown = Object.keys(body).find(name => !messagesFields.has(name))
  if (unknown === undefined) return
  const param = shorten(unknown)
  throw new GatewayError('unknown_parameter', { message: `${param}: Extra inputs are not permitted`, param })
}
