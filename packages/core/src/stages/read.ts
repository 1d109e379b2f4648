import { arrivedBody, type BodyBounds, collectBody, iterate } from '../collect-body.ts'
import type { IntakeLimits } from '../config.ts'
import { GatewayError } from '../errors.ts'
import type { HostBody } from '../host.ts'
import type { JsonObject, JsonValue } from '../protocol/chat.ts'
import { checkParsed } from '../protocol/check-parsed.ts'
import { checkContentEncoding, checkContentType } from '../protocol/content-headers.ts'
import { parseJson } from '../protocol/json.ts'
import { memberOf } from '../protocol/own-members.ts'
import { noun } from '../protocol/wording.ts'

/** What the caller sent, as far as it is known before it is validated. */
export interface Draft {
  readonly model: string
  readonly body: JsonObject
  /** Size of the body in bytes; for a body that the host had parsed already, of its JSON text. */
  readonly bytes: number
}

/**
 * What did they send? Checks in the order of protocol section 4.3: size, content type, JSON, model. A body
 * that tells its length is refused before it is read, another as soon as it is too long. One that has come as a whole
 * is read at once.
 *
 * Throws 400, 408 or 413. Where the source fails, as when the caller has left, throws what the source threw.
 *
 * @param body - replaces `request.body`.
 */
export function read(
  request: Request,
  body: HostBody | undefined,
  limits: IntakeLimits,
): Draft | Promise<Draft> {
  const { headers } = request
  const declared = Number(headers.get('content-length') ?? 0)
  if (declared > limits.maxBytes) throw tooLarge(declared, limits)
  if (body?.kind === 'bytes' && body.bytes.length > limits.maxBytes) throw tooLarge(body.bytes.length, limits)
  checkContentType(headers)
  if (body?.kind === 'parsed') {
    const bytes = checkParsed(body.value, limits)
    if (bytes > limits.maxBytes) throw tooLarge(bytes, limits)
    return toDraft(body.value as JsonValue, bytes)
  }
  // A host that has read the body has also undone its encoding.
  if (body?.kind === 'bytes') return draftOf(body.bytes, limits)
  checkContentEncoding(headers)
  const arrived = body && arrivedBody(body)
  return arrived === undefined ? collect(request, body, declared, limits) : draftOf(arrived, limits)
}

/** Whether a body that has come along with the head of its request may be told of a turn later. */
export function mayArrive(body: HostBody | undefined): boolean {
  return body?.kind === 'stream' && memberOf(body, 'arrived') !== undefined
}

function draftOf(bytes: Uint8Array, limits: IntakeLimits): Draft {
  if (bytes.length > limits.maxBytes) throw tooLarge(bytes.length, limits)
  return toDraft(parseJson(bytes, limits), bytes.length)
}

async function collect(
  request: Request,
  body: Extract<HostBody, { kind: 'stream' }> | undefined,
  announced: number,
  limits: IntakeLimits,
): Promise<Draft> {
  const stream = body?.stream ?? webBody(request)
  const use = (bytes: Uint8Array): Draft => draftOf(bytes, limits)
  if (stream === undefined) return use(new Uint8Array())
  const bounds: BodyBounds = {
    ...limits,
    announced,
    signal: body === undefined ? request.signal : undefined,
    tooLarge: bytes => tooLarge(bytes, limits),
    tooSlow: () =>
      new GatewayError('request_timeout', {
        message: `The body of the request did not arrive within ${limits.deadlineMs} milliseconds.`,
      }),
  }
  return collectBody(stream, bounds, use)
}

function webBody(request: Request): AsyncIterable<Uint8Array> | undefined {
  if (request.bodyUsed) {
    throw new GatewayError('server_error', {
      cause: new Error(
        'The body was read before the gateway. Hand it over as `body`, or mount the gateway first.',
      ),
    })
  }
  return request.body === null ? undefined : iterate(request.body)
}

function toDraft(body: JsonValue, bytes: number): Draft {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new GatewayError('invalid_json')
  const object = body as JsonObject
  const model = Object.hasOwn(object, 'model') ? object.model : undefined
  if (model === undefined || model === null || model === '') throw new GatewayError('missing_model')
  // Frozen: what is authorized is what was asked for, whatever a route does.
  if (typeof model === 'string') return Object.freeze({ model, body: object, bytes })
  throw new GatewayError('invalid_type', {
    message: `Invalid type for 'model': expected a string, but got ${noun(model)} instead.`,
    param: 'model',
  })
}

function tooLarge(bytes: number, { maxBytes }: IntakeLimits): GatewayError {
  return new GatewayError('body_too_large', {
    message: `Maximum content size limit (${maxBytes}) exceeded (${bytes} bytes read)`,
  })
}
