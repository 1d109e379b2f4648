import type { ExtensionPolicy } from '../../src/contracts/dialect.ts'
import type { Draft } from '../../src/contracts/draft.ts'
import type { GenerateRequest } from '../../src/conversation/generate-request.ts'
import { responsesDialect } from '../../src/dialects/responses/dialect.ts'
import type { JsonObject } from '../../src/protocol/chat.ts'

/** Reads a request in the Responses API as the gateway does, with some members besides the least that it needs. */
export function responsesRequest(more: JsonObject = {}): GenerateRequest {
  const { name, operation, outline, read } = responsesDialect
  const body = { model: 'm', input: 'Hi', ...more }
  const headers = new Headers()
  const draft: Draft = {
    dialect: name,
    operation,
    model: 'm',
    body,
    bytes: 100,
    outline: outline(body, 100, headers),
    text: undefined,
    headers,
  }
  const extensions: ExtensionPolicy = { possible: false, passes: false, accept: () => false }
  return read(draft, { profile: 'schema', unknownParameters: 'pass' }, extensions).request
}
