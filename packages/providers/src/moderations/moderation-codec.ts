import {
  type EncodedRequest,
  type ModerateCall,
  type ModerateCodec,
  type ModerateReply,
  spliceJson,
  UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { countOf, isFields, textOf } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { errorInBody, parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'

/** The path of OpenAI's moderations API below the base URL of a server. */
export const moderationsPath = '/moderations'

/** Creates the codec of a server with OpenAI's moderations API. Requests are passed on with the vendor's name of the model. */
export function moderationCodec(
  endpointOf: (call: { readonly key?: string }) => {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
  },
): ModerateCodec {
  return { encode: call => moderationRequest(call, endpointOf(call)), decode: decodeModeration }
}

/** Returns the request of a call, with the caller's body. */
export function moderationRequest(
  { request, model }: ModerateCall,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): EncodedRequest {
  const { body, text } = request
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...headers,
    },
    body: spliceJson(text, body.model === model ? [] : [{ path: ['model'], value: model }]),
  }
}

/**
 * Reads a result of a moderation. Rejects with `UpstreamError`: `refused` for an error response, also with status 200; `garbled` for
 * anything but an object with results.
 */
export async function decodeModeration(response: UpstreamResponse): Promise<ModerateReply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseErrorResponse(response, wallClock)
  checkResponseHead(response)
  const native = await response.text()
  const value = parsed(native)
  if (!isFields(value) || !Array.isArray(value.results)) throw errorInBody(value) ?? garbled()
  const model = textOf(value.model)
  const promptTokens = isFields(value.usage) ? countOf(value.usage.prompt_tokens) : undefined
  return {
    native,
    ...(model === undefined ? {} : { model }),
    ...(promptTokens === undefined || promptTokens === 0 ? {} : { promptTokens }),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw UpstreamError.is(cause) ? cause : garbled(cause)
  }
}

function garbled(cause?: unknown): UpstreamError {
  return new UpstreamError('The upstream answered a request for a moderation with something else.', {
    kind: 'garbled',
    ...(cause === undefined ? {} : { cause }),
  })
}
