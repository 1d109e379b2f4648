import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '@sluice/core'
import { checkMilliseconds } from './check-milliseconds.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { expectGateway } from './expect-gateway.ts'
import { ownMembers } from './own-members.ts'
import { serverError } from './protocol-error.ts'
import { type SendOptions, send, write } from './send.ts'

/** How requests are read and responses written. */
export interface ListenerOptions extends SendOptions {
  /** Whether `x-forwarded-proto` and `x-forwarded-host` are a trusted proxy's. Default `false`. */
  readonly trustProxy?: boolean | undefined
}

/**
 * Returns a request listener for a gateway: `createServer(toNodeListener(gateway))`. It responds to every request, with 404
 * to other paths, and never throws. `authenticate` gets the node request (an `IncomingMessage`) as `host`.
 *
 * A body that something else has read already is taken from `rawBody` or `body` of the node request.
 *
 * To `Expect: 100-continue`, Node's server sends the 100 before the listener is called. `serve` sends it only when the body is
 * read.
 *
 * Throws `ConfigurationError` for an invalid gateway or option.
 */
export function toNodeListener(
  gateway: Pick<Gateway<IncomingMessage>, 'fetch'>,
  given: ListenerOptions = {},
): (incoming: IncomingMessage, response: ServerResponse) => void {
  expectGateway('toNodeListener()', gateway, ['fetch'])
  const options = ownMembers(given)
  checkMilliseconds('toNodeListener()', 'writeStallMs', options.writeStallMs)
  const dispatch = createDispatch(gateway)
  return (incoming, response) => listen(dispatch, incoming, response, options)
}

/** Responds to one node request. `onBodyWait`: see `RequestOptions`. */
export function listen(
  dispatch: Dispatch<IncomingMessage>,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
  onBodyWait?: () => void,
): void {
  const dispatchOptions = { trustProxy: options.trustProxy, onBodyWait, context: { host: incoming } }
  dispatch(incoming, response, dispatchOptions, answer => void deliver(answer, response, options))
}

/** Sends a response. It never rejects: one that cannot be sent becomes a 500, or the end of the connection. */
export function deliver(
  answer: Response,
  response: ServerResponse,
  options: SendOptions = {},
): Promise<void> | undefined {
  try {
    return write(answer, response, options)?.catch(() => deliverError(response, options))
  } catch {
    return deliverError(response, options)
  }
}

async function deliverError(response: ServerResponse, options: SendOptions): Promise<void> {
  if (response.headersSent) response.destroy()
  else await send(serverError(), response, options).catch(() => response.destroy())
}
