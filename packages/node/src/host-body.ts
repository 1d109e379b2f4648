import type { IncomingMessage } from 'node:http'
import type { HostBody } from '@sluice/core/adapter'
import { memberOf } from './own-members.ts'

/** The body of a request that a server framework has read. */
export interface ReadBody {
  /** The bytes or the text of the body. */
  readonly rawBody?: unknown
  /** The result of a body parser. */
  readonly body?: unknown
}

/**
 * Returns the body in the form to use: its raw bytes if the framework kept them, else the result of a body parser if the node
 * request has been read, else `undefined` for the node request itself.
 *
 * A parsed body counts only if the node request has been read: some parsers set `{}` for a body that they did not parse.
 * Returns `'lost'` if the node request was read and its content was not stored.
 */
export function hostBody(incoming: IncomingMessage, read: ReadBody): HostBody | undefined | 'lost' {
  const rawBody = memberOf(read, 'rawBody')
  const body = memberOf(read, 'body')
  if (rawBody !== undefined && rawBody !== null) return bytesOf(rawBody) ?? { kind: 'parsed', value: rawBody }
  if (!incoming.readableDidRead) return undefined
  if (body === undefined) return 'lost'
  return bytesOf(body) ?? { kind: 'parsed', value: body }
}

let hasWarned = false

/** Tells the server's owner, once, why requests fail; their callers get a plain 500. */
export function warnBodyLost(): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning('Something read the body of a request before the gateway did and kept nothing of it.', {
    type: 'SluiceWarning',
    code: 'SLUICE_BODY_LOST',
    detail:
      'Mount the gateway before your body parser, or let the parser leave its result on the request as `body` or `rawBody`.',
  })
}

function bytesOf(value: unknown): HostBody | undefined {
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value }
  if (typeof value === 'string') return { kind: 'bytes', bytes: Buffer.from(value) }
  return undefined
}
