import type { IncomingMessage, ServerResponse } from 'node:http'
import { originForm } from '@sluice/node/adapter'

/** What of Express's `req` is used: Express 4 and 5 both fit. */
export interface ExpressRequest extends IncomingMessage {
  url: string
  baseUrl: string
  protocol: string
  body?: unknown
}

/** What of Express's `res` is used. */
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
