import type {
  Call,
  EncodedRequest,
  PartialCompletion,
  Provider,
  Reply,
  UpstreamResponse,
} from '@sluice/core/provider'
import type { AnswerExtras } from './chat-completions/answer-extras.ts'
import { ChunkStream } from './chat-completions/chunk-stream.ts'
import type { CompatibilityOptions } from './chat-completions/compatibility-options.ts'
import { CompletionTemplates } from './chat-completions/completion-templates.ts'
import { parseChatCompletion } from './chat-completions/partial-completion.ts'
import { requestBody } from './chat-completions/request-body.ts'
import { reportLosses } from './conversation/report-losses.ts'
import { ParameterAdjuster } from './parameters/parameter-adjuster.ts'
import { checkResponseHead } from './wire/garbled-response.ts'
import { jsonBody } from './wire/json-body.ts'
import { parseErrorResponse } from './wire/upstream-error-response.ts'
import { wallClock } from './wire/wall-clock.ts'

/** The URL, headers and compatibility options of a server with OpenAI's chat completions API. */
export interface ChatCompletionsEndpoint {
  /** The complete URL: `https://api.example.com/v1/chat/completions`. */
  readonly url: string
  /** Additional headers, such as credentials, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly compatibility?: CompatibilityOptions
}

/**
 * Encodes a request for OpenAI's chat completions API. No header of the caller's request is copied. Streams always request
 * their usage. Dropped fields are in `adjustments`.
 *
 * Throws `GatewayError` (400) for parameters that the server does not support.
 */
export function encodeChatCompletions(call: Call, endpoint: ChatCompletionsEndpoint): EncodedRequest {
  const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
  reportLosses(call, adjuster)
  const body = jsonBody(requestBody(call, endpoint.compatibility ?? plain, adjuster))
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: call.input.stream === true ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
  }
  const { url, headers: further } = endpoint
  // One by one: to spread them into the others takes a microsecond.
  if (further !== undefined) for (const name of Object.keys(further)) headers[name] = further[name]!
  const { list } = adjuster
  if (list.length === 0) return { method: 'POST', url, headers, body }
  return { method: 'POST', url, headers, body, adjustments: list }
}

const plain: CompatibilityOptions = {}

/**
 * Decodes a response of OpenAI's chat completions API, including the deviations of compatible servers.
 *
 * Throws `UpstreamError` of kind `refused` for an error response, also with status 200; `garbled` for a response that is not a
 * completion; and, while a stream is read, `truncated` if it ends before its end marker. `now` returns milliseconds since 1970,
 * for a `retry-after` that is a date.
 */
export function decodeChatCompletions(
  response: UpstreamResponse,
  call: Call,
  now: () => number = wallClock,
): Reply | Promise<Reply> {
  return decodeAnswer(response, call, text => parseChatCompletion(text), now)
}

/** `decodeChatCompletions` for one upstream, with templates of its responses: see `CompletionTemplates`. */
export function chatCompletionsDecoder(extras?: AnswerExtras): Provider['decode'] {
  const forms = new CompletionTemplates(extras)
  const read = (text: string) => forms.read(text)
  return (response, call) => decodeAnswer(response, call, read, wallClock, extras)
}

type ReadCompletion = (text: string) => PartialCompletion

function decodeAnswer(
  response: UpstreamResponse,
  call: Call,
  read: ReadCompletion,
  now: () => number,
  extras?: AnswerExtras,
): Reply | Promise<Reply> {
  const { status } = response
  if (status < 200 || status > 299) return refused(response, call, now)
  checkResponseHead(response)
  const { input, unsupportedParameters } = call
  if (input.stream !== true) {
    // A small answer has come with its head: then nothing is waited for.
    const text = response.bufferedText?.()
    return text === undefined ? completionOf(response, read) : { kind: 'completion', completion: read(text) }
  }
  // Where it may have been left out of the request, one choice may be all.
  const asked = unsupportedParameters === 'drop' ? 1 : (input.n ?? 1)
  return { kind: 'stream', chunks: new ChunkStream(response.body, asked, extras) }
}

async function refused(response: UpstreamResponse, { request }: Call, now: () => number): Promise<never> {
  throw await parseErrorResponse(response, now, request && (path => request.pathOf(path)))
}

async function completionOf(response: UpstreamResponse, read: ReadCompletion): Promise<Reply> {
  return { kind: 'completion', completion: read(await response.text()) }
}
