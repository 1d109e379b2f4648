import type { Call, EncodedRequest } from '@sluice/core/provider'
import { ParameterAdjuster } from './parameters/parameter-adjuster.ts'
import { responsesBody } from './responses/request-body.ts'

export { decodeResponses } from './responses/decode.ts'

/** The URL and headers of a server with OpenAI's Responses API. */
export interface ResponsesEndpoint {
  /** The complete URL: `https://api.example.com/v1/responses`. */
  readonly url: string
  /** Additional headers, such as credentials, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it returns encrypted reasoning, which is then requested. */
  readonly encryptedReasoning: boolean
}

/**
 * Encodes a request in any dialect for OpenAI's Responses API. No header of the caller's request is copied. Dropped fields are in
 * `adjustments`.
 *
 * Throws `GatewayError` (400) for content that the API does not take.
 */
export function encodeResponses(call: Call, endpoint: ResponsesEndpoint): EncodedRequest {
  const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
  const { url, headers, encryptedReasoning } = endpoint
  const body = JSON.stringify(responsesBody(call, encryptedReasoning, adjuster))
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: call.input.stream === true ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      ...headers,
    },
    body,
    ...(adjuster.list.length > 0 && { adjustments: adjuster.list }),
  }
}
