import type { ExtensionPolicy, ReadRequest, ReadRules } from '../../contracts/dialect.ts'
import type { Draft, RestoredState } from '../../contracts/draft.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { refuseAccountIds } from './account-ids.ts'
import { ownPath } from './own-path.ts'
import { RequestSource, ResponsesGenerateRequest } from './request.ts'
import { readFields, responsesFields } from './settings.ts'
import { findServerTool } from './tools.ts'
import { checkFieldsOfGateway, checkRequest } from './validate.ts'

/**
 * Validates a request in the Responses API. A request that only vendors of the protocol get is theirs to validate: then only what
 * the gateway itself reads is checked. Fields, items, parts and tools of unknown types are valid.
 *
 * @throws GatewayError 400, with the first error.
 */
export function readResponses(draft: Draft, rules: ReadRules, extensions: ExtensionPolicy): ReadRequest {
  const { body, restored } = draft
  refuseAccountIds(body, index => ownPath(`input[${index}]`, restored))
  if (rules.unknownParameters === 'reject') refuseUnknown(body)
  try {
    checkFieldsOfGateway(body, restored !== undefined, rules)
    if (!extensions.passes) checkRequest(body, rules.profile === 'live')
  } catch (error) {
    throw error instanceof GatewayError && restored !== undefined ? ofCaller(error, restored) : error
  }
  return {
    request: new ResponsesGenerateRequest(new RequestSource(draft)),
    unknownFields: unknownFields(body),
    serverTool: ownServerTool(draft),
  }
}

/** The names of fields that a provider may restrict. */
function unknownFields(body: JsonObject): readonly string[] | undefined {
  const names = Object.keys(body).filter(name => !readFields.has(name) && (body[name] ?? null) !== null)
  return names.length === 0 ? undefined : names
}

function ownServerTool({ body, restored }: Draft): string | undefined {
  const path = findServerTool(body)
  return path && ownPath(`${path}.type`, restored)
}

/** Returns the error with the paths of the request that the caller sent. */
function ofCaller(error: GatewayError, restored: RestoredState): GatewayError {
  const { reason, message, param } = error
  if (param === null) return error
  const own = ownPath(param, restored)
  return new GatewayError(reason, { message: message.replaceAll(param, own), param: own, cause: error })
}

function refuseUnknown(body: JsonObject): void {
  const unknown = Object.keys(body).find(name => !responsesFields.has(name))
  if (unknown === undefined) return
  const param = shorten(unknown)
  throw new GatewayError('unknown_parameter', { message: `Unknown parameter: '${param}'.`, param })
}
