import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '@sluice/core'
import type { FetchContext } from '@sluice/core/adapter'
import { hostBody, type ReadBody, warnLostBody } from './host-body.ts'
import { MalformedRequest } from './malformed-request.ts'
import { memberOf } from './own-members.ts'
import { protocolError, serverError } from './protocol-error.ts'
import { closeWithConnection } from './queued-response.ts'
import { type RequestOptions, requestBody, toRequest } from './request.ts'
import { boundRest, isClosing } from './unread-body.ts'

/** A request as its host knows it. */
export interface DispatchOptions<Host>
  extends Pick<RequestOptions, 'protocol' | 'host' | 'target' | 'trustProxy' | 'onBodyWait'> {
  /** What the host has left of the body. Default: what is on the message itself. */
  readonly read?: ReadBody | undefined
  /** Goes to the gateway as it is. */
  readonly context: Pick<FetchContext<Host>, 'host' | 'mount' | 'identified'>
}

/**
 * Puts a message to a gateway: the one thing that every mount does. It never throws, and `answered` always comes: a
 * message that is no sound request becomes a 400, anything unforeseen a 500 that tells nothing.
 */
export function dispatch<Host>(
  gateway: Pick<Gateway<Host>, 'fetch'>,
  incoming: IncomingMessage,
  response: ServerResponse,
  asking: DispatchOptions<Host>,
  answered: (answer: Response) => void,
): void {
  let answer: Promise<Response>
  try {
    answer = Promise.resolve(asked(gateway, incoming, response, asking))
  } catch (error) {
    // A turn later, as any answer: by then Node has read what came with the head.
    answer = Promise.resolve(responseToError(error))
  }
  const deliver = (response: Response) => {
    answered(response)
    boundRest(incoming)
  }
  void answer.then(deliver, error => deliver(responseToError(error)))
}

function asked<Host>(
  gateway: Pick<Gateway<Host>, 'fetch'>,
  incoming: IncomingMessage,
  response: ServerResponse,
  asking: DispatchOptions<Host>,
): Response | Promise<Response> {
  if (isClosing(incoming)) return protocolError(400, 'The connection closes after an earlier answer.')
  closeWithConnection(incoming, response)
  const body = hostBody(incoming, memberOf(asking, 'read') ?? (incoming as ReadBody))
  if (body === 'lost') {
    warnLostBody()
    return serverError()
  }
  const request = toRequest(incoming, {
    protocol: memberOf(asking, 'protocol'),
    host: memberOf(asking, 'host'),
    target: memberOf(asking, 'target'),
    trustProxy: memberOf(asking, 'trustProxy'),
    response,
    body,
    onBodyWait: memberOf(asking, 'onBodyWait'),
  })
  const { context } = asking
  return gateway.fetch(request, {
    host: memberOf(context, 'host'),
    mount: memberOf(context, 'mount'),
    identified: memberOf(context, 'identified'),
    body: requestBody(request),
    plainResponses: true,
  })
}

function responseToError(error: unknown): Response {
  return error instanceof MalformedRequest ? error.toResponse() : serverError()
}
