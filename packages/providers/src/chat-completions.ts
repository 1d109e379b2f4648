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

/** Where a vendor takes chat completions, and how it wants them written. */
export interface ChatCompletionsEndpoint {
  /** The whole URL: `https://api.example.com/v1/chat/completions`. */
  readonly url: string
  /** Further headers, names in lower case: credentials. */
  readonly headers?: Readonly<Record<string, string>>
  readonly compatibility?: CompatibilityOptions
}

/**
 * Writes a request in the chat-completions protocol. Its headers are made from nothing. A stream is always
 * asked for its token counts. Dropped fields are in `adjustments`.
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
 * Reads an answer in the chat-completions protocol, as any vendor speaks it, into clean parts.
 *
 * Throws `UpstreamError`: `refused` for an error answer, also one under status 200; `garbled` for what is no
 * completion; `truncated` for a stream that ends before its end mark (from the stream, as it is read).
 * `now` gives milliseconds since 1970, for a `retry-after` that is a date.
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
  if (status < 200 || status > 299) return refused(response, now)
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

async function refused(response: UpstreamResponse, now: () => number): Promise<never> {
  throw await parseErrorResponse(response, now)
}

async function completionOf(response: UpstreamResponse, read: ReadCompletion): Promise<Reply> {
  return { kind: 'completion', completion: read(await response.text()) }
}
