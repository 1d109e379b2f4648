import type { IncomingMessage, ServerResponse } from 'node:http'
import { originForm } from '@sluice/node/adapter'

/** The members of Express's `req` that the adapter uses, in Express 4 and 5. */
export interface ExpressRequest extends IncomingMessage {
  url: string
  baseUrl: string
  protocol: string
  body?: unknown
}

/** The members of Express's `res` that the adapter uses. */
export interface ExpressResponse extends ServerResponse {
  locals: Record<string, unknown>
}

/** The whole path with its query, also where a middleware before has rewritten `req.url`. */
export function requestTarget(req: ExpressRequest): string | undefined {
  try {
    return req.baseUrl + originForm(req.url)
  } catch {
    return undefined
  }
}
