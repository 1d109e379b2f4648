import {
  type Call,
  decodeSse,
  type PartialChunk,
  type Reply,
  UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { eventChunks, truncated } from '../wire/event-chunks.ts'
import { checkResponseHead, garbledResponse, toUpstreamError } from '../wire/garbled-response.ts'
import { isFields } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { errorInBody } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { parseGoogleError, withGoogleDetails } from './google-error.ts'
import { ResponseReader } from './response-reader.ts'

/**
 * Reads an answer of `generateContent` or `streamGenerateContent`, as `call` asked for it.
 *
 * Throws `UpstreamError`: `refused` for an error answer, also one under status 200; `garbled` for what is no
 * answer; `truncated` for a stream that ends before its candidates do (from the stream, as it is read).
 * `now` gives milliseconds since 1970, for a `retry-after` that is a date.
 */
export async function decodeGenerateContent(
  response: UpstreamResponse,
  { input }: Call,
  now: () => number = wallClock,
): Promise<Reply> {
  const { status } = response
  // Before anything else: an error may call itself an event stream and be JSON.
  if (status < 200 || status > 299) throw await parseGoogleError(response, now)
  checkResponseHead(response)
  const declared = new Set(
    input.tools?.map(tool => (tool.type === 'function' ? tool.function.name : tool.custom.name)),
  )
  if (input.stream === true) return { kind: 'stream', chunks: chunksOf(response.body, declared) }
  return replyOf(await response.text(), declared)
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  declared: ReadonlySet<string>,
): AsyncGenerator<readonly PartialChunk[], void> {
  const source = new PeekedBody(body)
  const reader = new ResponseReader(declared)
  try {
    if (await source.beginsAsJson()) yield* chunksOfJson(await source.text(), reader)
    else yield* eventChunks(decodeSse(source, { bareJson: true }), reader, () => source.ended)
  } catch (failure) {
    const rest = reader.withheld()
    if (rest !== undefined) yield [rest]
    throw failure
  }
}

/** Without `alt=sse` a stream is a JSON list of what would be its events; a proxy may answer in one piece. */
function* chunksOfJson(text: string, reader: ResponseReader): Generator<readonly PartialChunk[], void> {
  const value = parsed(text)
  const chunks: PartialChunk[] = []
  let failure: unknown
  try {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isFields(one)) throw garbledResponse('a list of something else than answers')
      reader.read(one, 'message', chunks)
    }
  } catch (error) {
    failure = toUpstreamError(error)
  }
  if (chunks.length > 0) yield chunks
  if (failure !== undefined) throw failure
  if (reader.progress === 'open') throw truncated()
}

function replyOf(text: string, declared: ReadonlySet<string>): Reply {
  const value = parsed(text)
  const reader = new ResponseReader(declared, true)
  const chunks: PartialChunk[] = []
  if (isFields(value)) {
    try {
      reader.read(value, 'message', chunks)
    } catch (error) {
      throw toUpstreamError(error)
    }
  }
  const [chunk] = chunks
  if (chunk === undefined || chunk.choices.length === 0) {
    const refusal = errorInBody(value)
    throw refusal === undefined
      ? garbledResponse('a body without candidates')
      : withGoogleDetails(refusal, value)
  }
  const { choices, ...rest } = chunk
  const completion = {
    ...rest,
    choices: choices.map(({ delta, ...choice }) => ({ ...choice, message: delta })),
  }
  // A blocked prompt has no candidates.
  const ordered = reader.ordered.length > 0 ? reader.ordered : choices
  return { kind: 'completion', completion, ordered: [{ ...rest, choices: ordered }] }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    // A list that was cut off.
    if (text.trimStart().startsWith('[') && !text.trimEnd().endsWith(']')) throw truncated()
    throw garbledResponse(text.trim() === '' ? 'an empty body' : 'a body that is no JSON', cause)
  }
}
