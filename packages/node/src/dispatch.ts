import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '@sluice/core'
import type { FetchContext } from '@sluice/core/adapter'
import { hostBody, type ReadBody, warnBodyLost } from './host-body.ts'
import { MalformedRequest } from './malformed-request.ts'
import { memberOf } from './own-members.ts'
import { protocolError, serverError } from './protocol-error.ts'
import { closeWithConnection } from './queued-response.ts'
import { createRequest, type RequestOptions, requestBody } from './request.ts'
import { isClosing, limitRemainingBody } from './unread-body.ts'
import { createRequestUrl, type RequestUrl } from './url.ts'

/** What an adapter knows of a request. `Host` is the request type of its server framework. */
export interface DispatchOptions<Host>
  extends Pick<RequestOptions, 'protocol' | 'host' | 'target' | 'trustProxy' | 'onBodyWait'> {
  /** The body, if the framework has read it. Default: `rawBody` and `body` of the node request. */
  readonly read?: ReadBody | undefined
  /** Passed to `gateway.fetch` unchanged. */
  readonly context: Pick<FetchContext<Host>, 'host' | 'mount' | 'onPrincipal'>
}

/**
 * Sends a node request to a gateway and passes the response to `onResponse`. It never throws and always calls `onResponse`: a
 * malformed request becomes a 400, an unexpected error a 500 without details.
 */
export type Dispatch<Host> = (
  incoming: IncomingMessage,
  response: ServerResponse,
  options: DispatchOptions<Host>,
  onResponse: (answer: Response) => void,
) => void

/** Creates the dispatch function of a listener or middleware. Create one per mount, not per request. */
export function createDispatch<Host>(gateway: Pick<Gateway<Host>, 'fetch'>): Dispatch<Host> {
  const requestUrl = createRequestUrl()
  return (incoming, response, options, onResponse) => {
    let answer: Promise<Response>
    try {
      answer = Promise.resolve(sendToGateway(gateway, incoming, response, options, requestUrl))
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
}

function sendToGateway<Host>(
  gateway: Pick<Gateway<Host>, 'fetch'>,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: DispatchOptions<Host>,
  requestUrl: RequestUrl,
): Response | Promise<Response> {
  if (isClosing(incoming)) return protocolError(400, 'The connection closes after an earlier answer.')
  closeWithConnection(incoming, response)
  const body = hostBody(incoming, memberOf(options, 'read') ?? (incoming as ReadBody))
  if (body === 'lost') {
    warnBodyLost()
    return serverError()
  }
  const requestOptions = {
    protocol: memberOf(options, 'protocol'),
    host: memberOf(options, 'host'),
    target: memberOf(options, 'target'),
    trustProxy: memberOf(options, 'trustProxy'),
    response,
    body,
    onBodyWait: memberOf(options, 'onBodyWait'),
  }
  const request = createRequest(incoming, requestOptions, requestUrl)
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
