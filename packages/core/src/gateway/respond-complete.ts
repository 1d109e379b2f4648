import type { Dialect } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import { respondText } from '../http/respond.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'

/** A request whose answer is complete. */
interface CompletedRequest {
  readonly dialect: Dialect
  readonly context: RequestContext
  readonly accounting: RequestAccounting
}

/**
 * Responds with a complete answer, which settles the request.
 *
 * @param text - what the dialect wrote.
 * @throws TypeError if that is not a string.
 */
export function respondComplete(
  text: unknown,
  { dialect, context, accounting }: CompletedRequest,
): GatewayResponse {
  if (typeof text !== 'string') {
    throw new TypeError(`The dialect '${dialect.name}' wrote ${typeof text}, expected a string.`)
  }
  accounting.firstByte()
  const response = respondText(200, text, context.requestId, accounting.answerHeaders)
  accounting.sent(text)
  accounting.settled('completed', 200)
  return response
}
