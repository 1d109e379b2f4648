import type { ExtensionPolicy, ReadRequest, ReadRules } from '../../src/contracts/dialect.ts'
import type { Draft } from '../../src/contracts/draft.ts'
import type { GenerateRequest } from '../../src/conversation/generate-request.ts'
import { countTokensDialect, messagesDialect } from '../../src/dialects/messages/dialect.ts'
import type { JsonObject } from '../../src/protocol/chat.ts'

interface Given {
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  readonly rules?: Partial<ReadRules>
  /** Whether only vendors of the protocol get the request. */
  readonly passes?: boolean
  /** Whether it is a request for the number of tokens. */
  readonly counts?: boolean
}

/** Reads a request in the Messages API as the gateway does. */
export function readMessagesRequest(
  body: JsonObject,
  { headers = {}, text, rules, passes = false, counts = false }: Given = {},
): ReadRequest {
  const { name, operation, outline, read } = counts ? countTokensDialect : messagesDialect
  const known = new Headers(headers)
  const draft: Draft = {
    dialect: name,
    operation,
    model: String(body.model),
    body,
    bytes: 100,
    outline: outline(body, 100, known),
    text,
    headers: known,
  }
  const extensions: ExtensionPolicy = { possible: false, passes, accept: () => false }
  return read(draft, { profile: 'schema', unknownParameters: 'pass', ...rules }, extensions)
}

/** Returns a request with some members besides the least that it needs. */
export function messagesRequest(more: JsonObject = {}, given?: Given): GenerateRequest {
  return readMessagesRequest({ ...leastBody, ...more }, given).request
}

export const leastBody = {
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hi' }],
} as const satisfies JsonObject
