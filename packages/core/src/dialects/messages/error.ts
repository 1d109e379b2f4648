import type { DialectError } from '../../contracts/dialect.ts'
import { type ErrorReason, errorTable, type GatewayError } from '../../errors/errors.ts'

/** The body of an error. Clients compare its members exactly. */
interface MessagesErrorBody {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string }
  readonly request_id: string | null
}

/** Statuses that differ from those of the gateway's own errors. */
const statuses: Partial<Readonly<Record<ErrorReason, number>>> = {
  insufficient_quota: 402,
  overloaded: 529,
  service_overloaded: 529,
  shutting_down: 529,
  idempotency_full: 529,
}

/** The type of an error by its status. Others are `invalid_request_error` below 500, and `api_error` from there. */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** The dialect in which such errors are written. */
const messages = 'messages'

/** Waiting mends none of these. */
const final: ReadonlySet<number> = new Set([401, 402, 403, 404])

const retryLater: ReadonlySet<number> = new Set([429, 503, 529])

/** Returns an error in the shape of the Messages API. One that a vendor of the protocol wrote keeps its status and its members. */
export function messagesError(error: GatewayError, requestId: string): DialectError {
  const { native } = error
  const isOwn = native?.dialect === messages
  const status = isOwn ? native.status : statusOf(error)
  const headers: Record<string, string> = { ...error.headers }
  if (final.has(status)) headers['x-should-retry'] = 'false'
  if (retryLater.has(status)) headers['retry-after'] ??= '1'
  const body = isOwn
    ? { ...JSON.parse(native.body), request_id: requestId }
    : messagesErrorBody(error, requestId)
  return { status, body, headers }
}

/** Returns the body of an error. `requestId` is absent where it is not known. */
function messagesErrorBody(error: GatewayError, requestId: string | undefined): MessagesErrorBody {
  const status = statusOf(error)
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: messageOf(error) }, request_id: requestId ?? null }
}

/** Returns the event of a stream that failed. */
export function messagesErrorEvent(error: GatewayError, requestId?: string): string {
  return `event: error\ndata: ${JSON.stringify(messagesErrorBody(error, requestId))}\n\n`
}

/** An error of another copy of this package may have a reason that is not known here. */
function statusOf({ reason, status }: GatewayError): number {
  return (Object.hasOwn(statuses, reason) ? statuses[reason] : undefined) ?? status
}

function messageOf(error: GatewayError): string {
  const { reason, message, param } = error
  switch (reason) {
    case 'invalid_api_key':
      return message === errorTable.invalid_api_key[3] ? 'invalid x-api-key' : message
    case 'missing_api_key':
      return message === errorTable.missing_api_key[3] ? 'x-api-key header is required' : message
    case 'missing_model':
      return 'model: Field required'
    case 'model_not_found':
      return missingModel(message)
    case 'context_length_exceeded':
      return promptTooLong(message)
    default:
      return tooManyTokens(message, param) ?? withPath(message, param)
  }
}

/** Clients look for another model when they read this. */
function missingModel(message: string): string {
  const [, model] = /^The model `([^`]*)` does not exist/.exec(message) ?? []
  return model === undefined ? message : `model: ${model}`
}

/** Clients shorten the conversation, or ask for fewer tokens, when they read these texts. */
function promptTooLong(message: string): string {
  if (/^(?:prompt is too long|input length and `max_tokens` exceed)/.test(message)) return message
  const maximum = numberIn(message, /maximum context length (?:is|of) (\d{1,15})/)
  if (maximum === undefined) return `prompt is too long: ${message}`
  const prompt = numberIn(message, /(\d{1,15}) (?:tokens )?(?:in the messages|in your prompt|in the input)/)
  const output = numberIn(
    message,
    /(\d{1,15}) (?:tokens )?(?:in the completion|for the completion|in the output)/,
  )
  if (prompt !== undefined && output !== undefined && prompt <= maximum) {
    return `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${maximum}`
  }
  const used = prompt ?? numberIn(message, /(?:resulted in|requested|have) (\d{1,15}) (?:tokens|words)/)
  return used === undefined || used <= maximum
    ? `prompt is too long: ${message}`
    : `prompt is too long: ${used} tokens > ${maximum} maximum`
}

function tooManyTokens(message: string, param: string | null): string | undefined {
  if (param !== 'max_tokens') return undefined
  const asked = numberIn(message, /too large: (\d{1,15})/)
  const maximum = numberIn(message, /supports at most (\d{1,15})/)
  if (asked === undefined || maximum === undefined) return undefined
  return `max_tokens: ${asked} > ${maximum}, which is the maximum allowed number of output tokens for this model`
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const [, digits] = pattern.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** `messages.0.content: ...`, unless the message names the field already. */
function withPath(message: string, param: string | null): string {
  if (param === null || param === '') return message
  const path = dotted(param)
  return message.startsWith(path) ? message : `${path}: ${message}`
}

/** Returns a path as the protocol writes it: `messages.0.content` for `messages[0].content`. */
export function dotted(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1')
}
