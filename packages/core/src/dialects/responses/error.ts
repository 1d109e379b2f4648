import type { DialectError } from '../../contracts/dialect.ts'
import type { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { endMark } from './events.ts'

/** The dialect in which such errors are written. */
const responses = 'responses'

/** Clients shorten the conversation when they read this. */
const inputTooLong =
  'Your input exceeds the context window of this model. Please adjust your input and try again.'

/** The members of an error that differ from those of chat completions. */
interface ErrorFields {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

/** Returns an error in the shape of the Responses API. One that a vendor of the protocol wrote keeps its status and its body. */
export function responsesError(error: GatewayError): DialectError {
  const { native, headers } = error
  if (native?.dialect === responses) {
    return { status: native.status, body: JSON.parse(native.body), headers }
  }
  const { status, ...fields } = errorFields(error)
  return { status, body: { error: fields }, headers }
}

/**
 * Returns the code and the message of a response that failed, after its stream had begun. An overload has no code of its own
 * there: Codex gives up on `server_is_overloaded`, and sends the request again after `server_error`.
 */
export function failedResponseError(error: GatewayError): {
  readonly code: string
  readonly message: string
} {
  const { code, message, status } = errorFields(error)
  return {
    code: status >= 500 ? 'server_error' : (code ?? 'invalid_prompt'),
    message: withRetryTime(error, message),
  }
}

/** Whether the caller has cancelled a response, rather than that it failed. */
export function isCancelled({ reason }: GatewayError): boolean {
  return reason === 'client_disconnected'
}

/** Returns the members of the event `error`: some clients read them from the event, others from its `error`. */
export function errorEventMembers(error: GatewayError): JsonObject {
  const { type, param } = errorFields(error)
  const { code, message } = failedResponseError(error)
  return { code, message, param, error: { type, code, message, param } }
}

/** Returns the end of a stream that was stored as text and is cut off while it is sent: its numbers are not known. */
export function responsesErrorEvent(error: GatewayError): string {
  const data = JSON.stringify({ type: 'error', sequence_number: 0, ...errorEventMembers(error) })
  return `event: error\ndata: ${data}\n\n${endMark}`
}

function errorFields(error: GatewayError): ErrorFields {
  const { status, message, type, param, code } = error
  switch (error.reason) {
    case 'model_not_found':
      return { status: 400, message: missingModel(message), type, param: 'model', code }
    case 'context_length_exceeded':
      return { status: 400, message: inputTooLong, type, param: 'input', code }
    default:
      return { status, message, type, param, code }
  }
}

function missingModel(message: string): string {
  const [all, model] =
    /^The model `(.*?)` does not exist or you do not have access to it\./s.exec(message) ?? []
  if (all === undefined) return message
  return `The requested model '${model}' does not exist.${message.slice(all.length)}`
}

/** Clients that were sent a status already read from the message how long to wait: a second where it is not known. */
function withRetryTime({ status, reason, headers }: GatewayError, message: string): string {
  if (status !== 429 || reason === 'insufficient_quota') return message
  const given = headers['retry-after'] ?? ''
  const seconds = /^\d{1,9}$/.test(given) ? given : '1'
  return /try again in \d/i.test(message) ? message : `${message} Please try again in ${seconds}s.`
}
