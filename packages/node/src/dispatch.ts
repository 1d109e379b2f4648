import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '@sluice/core'
import type { FetchContext } from '@sluice/core/adapter'
import { hostBody, type ReadBody, warnBodyLost } from './host-body.ts'
import { MalformedRequest } from './malformed-request.ts'
import { memberOf } from './own-members.ts'
import { protocolError, serverError } from './protocol-error.ts'
import { closeWithConnection } from './queued-response.ts'
import { type RequestOptions, requestBody, toRequest } from './request.ts'
import { isClosing, limitRemainingBody } from './unread-body.ts'

/** A request as its host knows it. */
export interface DispatchOptions<Host>
  extends Pick<RequestOptions, 'protocol' | 'host' | 'target' | 'trustProxy' | 'onBodyWait'> {
  /** What the host has left of the body. Default: what is on the message itself. */
  readonly read?: ReadBody | undefined
  /** Goes to the gateway as it is. */
  readonly context: Pick<FetchContext<Host>, 'host' | 'mount' | 'onPrincipal'>
}

/**
 * Puts a message to a gateway: the one thing that every mount does. It never throws, and `answered` always comes: a
 * message that is no sound request becomes a 400, anything unforeseen a 500 that tells nothing.
 */
export function dispatch<Host>(
  gateway: Pick<Gateway<Host>, 'fetch'>,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: DispatchOptions<Host>,
  onResponse: (answer: Response) => void,
): void {
  let answer: Promise<Response>
  try {
    answer = Promise.resolve(sendToGateway(gateway, incoming, response, options))
  } catch (error) {
    // A turn later, as any answer: by then Node has read what came with the head.
    answer = Promise.resolve(responseToError(error))
  }
  const deliver = (response: Response) => {
    onResponse(response)
    limitRemainingBody(incoming)
  }
  void answer.then(deliver, error => deliver(responseToError(error)))
}

function sendToGateway<Host>(
  gateway: Pick<Gateway<Host>, 'fetch'>,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: DispatchOptions<Host>,
): Response | Promise<Response> {
  if (isClosing(incoming)) return protocolError(400, 'The connection closes after an earlier answer.')
  closeWithConnection(incoming, response)
  const body = hostBody(incoming, memberOf(options, 'read') ?? (incoming as ReadBody))
  if (body === 'lost') {
    warnBodyLost()
    return serverError()
  }
  const request = toRequest(incoming, {
    protocol: memberOf(options, 'protocol'),
    host: memberOf(options, 'host'),
    target: memberOf(options, 'target'),
    trustProxy: memberOf(options, 'trustProxy'),
    response,
    body,
    onBodyWait: memberOf(options, 'onBodyWait'),
  })
  const { context } = options
  return gateway.fetch(request, {
    host: memberOf(context, 'host'),
    mount: memberOf(context, 'mount'),
    onPrincipal: memberOf(context, 'onPrincipal'),
    body: requestBody(request),
    plainResponses: true,
  })
}

function responseToError(error: unknown): Response {
  return error instanceof MalformedRequest ? error.toResponse() : serverError()
}
