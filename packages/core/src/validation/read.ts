import type { Clock } from '../clock/clock.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { Draft, RequestHeaders } from '../contracts/draft.ts'
import type { HostBody } from '../contracts/host.ts'
import type { Outline } from '../contracts/outline.ts'
import { GatewayError } from '../errors/errors.ts'
import { type BodyBounds, bufferedBody, collectBody, iterate } from '../http/collect-body.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import type { Uploads } from '../http/uploads.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { JsonObject, JsonValue } from '../protocol/chat.ts'
import { checkParsed } from '../protocol/check-parsed.ts'
import { shorten, typeName } from '../protocol/error-messages.ts'
import { decodeUtf8, parseJsonText } from '../protocol/json.ts'
import { type ReceivedText, receivedText } from '../protocol/received-text.ts'

/** What a draft takes from the dialect of its request. */
type DraftDialect = Pick<Dialect, 'name' | 'operation' | 'outline'> & { readonly pass?: unknown }

/**
 * Reads a body that is buffered. Checks size, content type, JSON and model, in this order; a body with
 * a `content-length` above the limit is rejected before it is read. Returns `undefined` if the body is not complete yet: then
 * call `receive`.
 *
 * Throws `GatewayError` (400 or 413).
 *
 * @param body - replaces `request.body`.
 */
export function read(
  request: Request,
  body: HostBody | undefined,
  limits: RequestLimits,
  dialect: DraftDialect,
): Draft | undefined {
  const { headers } = request
  const declared = announcedBytes(request)
  if (declared > limits.maxBytes) throw tooLarge(declared, limits)
  if (body?.kind === 'bytes' && body.bytes.length > limits.maxBytes) throw tooLarge(body.bytes.length, limits)
  checkContentType(headers)
  if (body?.kind === 'parsed') {
    const bytes = checkParsed(body.value, limits)
    if (bytes > limits.maxBytes) throw tooLarge(bytes, limits)
    return toDraft(body.value as JsonValue, bytes, undefined, headers, dialect)
  }
  // A host that has read the body has also decoded it.
  if (body?.kind === 'bytes') return draftOf(body.bytes, limits, headers, dialect)
  checkContentEncoding(headers)
  const buffered = body && bufferedBody(body)
  return buffered === undefined ? undefined : draftOf(buffered, limits, headers, dialect)
}

/** Returns whether the body may be buffered one turn of the event loop later. */
export function isBodyBuffered(body: HostBody | undefined): boolean {
  return body?.kind === 'stream' && memberOf(body, 'buffered') !== undefined
}

/** The sender of a body. */
interface Sender {
  /** See `principalKey`. */
  readonly key: string
  readonly uploads: Uploads
  /** Aborts receiving with the request. */
  readonly lifetime: Pick<Lifetime, 'onEnd' | 'offEnd'>
  /** Spreads the retries of rejected clients. */
  readonly random: () => number
  readonly clock: Clock
}

/**
 * Receives a body that was not buffered for `read`. Rejects it as soon as it is too large, or exceeds the upload limits of its
 * principal or of the gateway.
 *
 * Rejects with `GatewayError` (400, 408, 413, 429 or 503), with `LifeEnded`, or with the error of the stream.
 */
export async function receive(
  request: Request,
  body: HostBody | undefined,
  limits: RequestLimits,
  dialect: DraftDialect,
  { key, uploads, lifetime, random, clock }: Sender,
): Promise<Draft> {
  const use = (bytes: Uint8Array, pieces?: readonly Uint8Array[]): Draft =>
    draftOf(bytes, limits, request.headers, dialect, pieces)
  const stream = body?.kind === 'stream' ? body.stream : webBody(request)
  if (stream === undefined) return use(new Uint8Array())
  const bounds: BodyBounds = {
    limits,
    lifetime,
    clock,
    upload: uploads.start(key, announcedBytes(request), limits, random),
    tooLarge: bytes => tooLarge(bytes, limits),
    tooSlow: (bytes, ms) => tooSlow(bytes, ms, limits),
  }
  return collectBody(stream, bounds, use)
}

function announcedBytes({ headers }: Request): number {
  return Number(headers.get('content-length') ?? 0)
}

function draftOf(
  bytes: Uint8Array,
  limits: RequestLimits,
  headers: RequestHeaders,
  dialect: DraftDialect,
  pieces?: readonly Uint8Array[],
): Draft {
  if (bytes.length > limits.maxBytes) throw tooLarge(bytes.length, limits)
  const text = decodeUtf8(bytes)
  const received = pieces && receivedText(text, pieces, bytes.length)
  return toDraft(parseJsonText(text, limits), bytes.length, text, headers, dialect, received)
}

function webBody(request: Request): AsyncIterable<Uint8Array> | undefined {
  if (request.bodyUsed) {
    throw new GatewayError('server_error', {
      cause: new Error(
        'The body was read before it reached the gateway. Pass it as `body`, or mount the gateway before the body parser.',
      ),
    })
  }
  return request.body === null ? undefined : iterate(request.body)
}

function toDraft(
  body: JsonValue,
  bytes: number,
  text: string | undefined,
  headers: RequestHeaders,
  { name, operation, outline, pass }: DraftDialect,
  received?: ReceivedText,
): Draft {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new GatewayError('invalid_json')
  const object = body as JsonObject
  const model = Object.hasOwn(object, 'model') ? object.model : undefined
  if (model === undefined || model === null || model === '') throw new GatewayError('missing_model')
  if (typeof model === 'string') {
    const outlined: unknown = outline(object, bytes, headers)
    if (typeof outlined !== 'object' || outlined === null) {
      throw new TypeError(`The dialect '${name}' returned no outline.`)
    }
    // Frozen, so that a route cannot change the model after authorization.
    const draft = { dialect: name, operation, model, body: object, bytes, outline: outlined as Outline }
    // A text of megabytes is kept only for a dialect that passes it on.
    const passes = pass !== undefined || operation === 'countTokens' || operation === 'moderate'
    return Object.freeze(passes ? { ...draft, text, headers, received } : draft)
  }
  throw new GatewayError('invalid_type', {
    message: `Invalid type for 'model': expected a string, but got ${typeName(model)} instead.`,
    param: 'model',
  })
}

function tooLarge(bytes: number, { maxBytes }: RequestLimits): GatewayError {
  return new GatewayError('body_too_large', {
    message: `Maximum content size limit (${maxBytes}) exceeded (${bytes} bytes read)`,
  })
}

function tooSlow(bytes: number, ms: number, limits: RequestLimits): GatewayError {
  const { deadlineMs, minBytesPerSecond, minRateGraceMs } = limits
  if (ms >= deadlineMs) {
    return new GatewayError('request_timeout', {
      message: `The body of the request did not arrive within ${deadlineMs} milliseconds.`,
    })
  }
  return new GatewayError('request_timeout', {
    message: `The body of the request arrives too slowly: got ${bytes} bytes in ${Math.round(ms)} ms, expected at least ${minBytesPerSecond} bytes per second after the first ${minRateGraceMs} ms.`,
  })
}

interface HeaderReader {
  get(name: string): string | null
}

const advice = 'Please try again with a supported content type.'

/** Accepts `application/json` in UTF-8, in any case and with any other parameters. Throws `GatewayError` (400) otherwise. */
export function checkContentType(headers: HeaderReader): void {
  const value = headers.get('content-type')
  if (value === 'application/json') return
  if (value === null) {
    throw new GatewayError('unsupported_content_type', {
      message: `Unsupported content type. This API method only accepts 'application/json' requests, but you specified no 'Content-Type' header. ${advice}`,
    })
  }
  const [type = '', ...parameters] = value.split(';')
  if (type.trim().toLowerCase() === 'application/json' && parameters.every(isUtf8)) return
  const shown = type.trim().toLowerCase() === 'application/json' ? value : type
  throw new GatewayError('unsupported_content_type', {
    message: `Unsupported content type: '${shorten(shown.trim())}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${shorten(value)}'. ${advice}`,
  })
}

/** Returns false for a charset other than UTF-8. */
function isUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(value.trim())
}

/** Throws `GatewayError` (400) for a compressed body: decompressing it would need limits of its own. */
export function checkContentEncoding(headers: HeaderReader): void {
  const value = headers.get('content-encoding')
  if (value === null || value.trim() === '' || value.trim().toLowerCase() === 'identity') return
  throw new GatewayError('invalid_request', {
    message: `Unsupported content encoding: '${shorten(value)}'. Expected the body as it is, without the header 'Content-Encoding'.`,
  })
}
