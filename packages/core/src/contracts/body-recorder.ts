import type { RequestOutcome } from './events.ts'
import type { Operation } from './outline.ts'
import type { Principal, PrincipalId } from './principal.ts'

/** What `wants` of a `BodyRecorder` decides by. */
export interface BodyRequest {
  readonly principal: Principal
  /** The requested model, as hooks have left it. */
  readonly model: string
  readonly operation: Operation
}

/**
 * Receives the bodies of requests and responses. They hold whatever callers and models write: store them encrypted, such as with
 * `createBodyLog` of `@sluice/log`. A recorder that throws or rejects fails no request.
 */
export interface BodyRecorder {
  /** The maximum size of each body, in UTF-8 bytes. */
  readonly maxBytes: number
  /** Returns whether the bodies of a request are recorded. Called once per request, after the hooks have run. */
  wants(request: BodyRequest): boolean
  /** Called once, when the request has ended. A promise is not awaited. */
  record(bodies: RecordedBodies): void
}

/** The bodies of a request that has ended. They have no headers and no API key. */
export interface RecordedBodies {
  readonly requestId: string
  /** When the request arrived, in milliseconds since 1970. */
  readonly at: number
  readonly principal: PrincipalId
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  /** The path of the endpoint with the base path, such as `/v1/chat/completions`. */
  readonly path: string
  readonly model: string
  /** Whether the response is an event stream, unless `status` is an error. */
  readonly stream: boolean
  readonly status: number
  readonly outcome: RequestOutcome
  /** The JSON text of the request, as hooks have left it. `undefined` if it is larger than `maxBytes`. */
  readonly request: string | undefined
  /**
   * What the caller got, after hooks: JSON, or the events of a stream as far as they were sent; an error too. `undefined` if the
   * client disconnected before it.
   */
  readonly response: string | undefined
  /** Whether `request` is missing because it is larger than `maxBytes`. */
  readonly requestOmitted: boolean
  /** Whether `response` ends after `maxBytes`. */
  readonly responseTruncated: boolean
}
