import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '@sluice/core'
import { checkMilliseconds } from './check-milliseconds.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { expectGateway } from './expect-gateway.ts'
import { ownMembers } from './own-members.ts'
import { serverError } from './protocol-error.ts'
import { type SendOptions, send, write } from './send.ts'

/** How messages are read and answers written. */
export interface ListenerOptions extends SendOptions {
  /** Whether `x-forwarded-proto` and `x-forwarded-host` are a trusted proxy's. Default `false`. */
  readonly trustProxy?: boolean | undefined
}

/**
 * A gateway as a listener: `createServer(toNodeListener(gateway))`. It answers every request, those to
 * other paths with 404, and never throws. `authenticate` gets the message as its host's request.
 *
 * A host that has read the body already leaves it on the message as `rawBody` or `body`.
 *
 * Where Node's server tells a client that waits for `100 Continue` to send its body, before anybody looks at the
 * request, `serve` does so only when the body is asked for.
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

/** Answers one message. `onBodyWait`: see `RequestOptions`. */
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

/** Sends an answer. It never rejects: what cannot be sent becomes a 500, or the end of the connection. */
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
