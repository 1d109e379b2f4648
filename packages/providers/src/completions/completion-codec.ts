import {
  type BodyEdit,
  type CompleteCodec,
  type EncodedRequest,
  type NativeCall,
  type Reply,
  spliceJson,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { plainHeaders } from '../anthropic/native-headers.ts'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { isFields } from '../wire/json-value.ts'
import { parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { completionStream } from './completion-stream.ts'
import { parseTextCompletion } from './text-completion.ts'

/** How a server's API of text completions differs from OpenAI's. */
export interface CompletionCompatibility {
  /** Its path below the base URL. Default `/completions`. */
  readonly path?: string | undefined
  /** `false` if the server rejects `stream_options` and sends usage in streams anyway. Default true. */
  readonly streamOptions?: boolean | undefined
  /** `message` if its choices have messages, as those of chat completions have: they are written as texts. Default `text`. */
  readonly choices?: 'text' | 'message' | undefined
}

/** Where a call goes, and with which headers. */
export interface CompletionEndpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Creates the codec of a server with OpenAI's API of text completions. */
export function completionCodec(
  endpointOf: (call: { readonly key?: string }) => CompletionEndpoint,
  compatibility: CompletionCompatibility,
): CompleteCodec {
  return {
    encode: call => completionRequest(call, endpointOf(call), compatibility),
    decode: (response, call) => decodeCompletion(response, call, compatibility),
  }
}

/** Returns the request of a call: the caller's body, which a stream has usage for. */
export function completionRequest(
  call: NativeCall,
  { url, headers }: CompletionEndpoint,
  { streamOptions = true }: CompletionCompatibility,
): EncodedRequest {
  const { body, stream } = call.request
  const edits: BodyEdit[] = [...call.edits]
  if (body.model !== call.model) edits.push({ path: ['model'], value: call.model })
  if (stream && streamOptions) {
    const given = isFields(body.stream_options) ? body.stream_options : undefined
    if (given === undefined) edits.push({ path: ['stream_options'], value: { include_usage: true } })
    else if (given.include_usage !== true)
      edits.push({ path: ['stream_options', 'include_usage'], value: true })
  } else if (!streamOptions && body.stream_options !== undefined) {
    edits.push({ path: ['stream_options'], value: undefined })
  }
  return {
    method: 'POST',
    url,
    headers: { ...plainHeaders(call), ...headers },
    body: spliceJson(call.text, edits),
  }
}

/**
 * Reads an answer. Throws `UpstreamError`: `refused` for an error, also under status 200; `garbled` for what is no completion;
 * `truncated` for a stream that ends before its last event (from the stream, as it is read).
 */
export async function decodeCompletion(
  response: UpstreamResponse,
  call: NativeCall,
  { choices: form = 'text' }: CompletionCompatibility,
): Promise<Reply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseErrorResponse(response, wallClock)
  checkResponseHead(response)
  if (call.request.stream) {
    const { n = 1 } = call.request.settings()
    return { kind: 'stream', chunks: completionStream(response.body, n, form) }
  }
  const { completion, native } = parseTextCompletion(await response.text(), form)
  return { kind: 'completion', completion, native }
}
