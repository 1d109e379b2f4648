import type {
  EncodedRequest,
  RerankCall,
  RerankCodec,
  RerankReply,
  RerankResult,
  UpstreamResponse,
} from '@sluice/core/provider'
import { UpstreamError } from '@sluice/core/provider'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields, textOf } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { errorInBody, parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import type { RerankCompatibility } from './rerank-compatibility.ts'

/** Where a call goes, and with which headers. */
export interface RerankEndpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Creates the codec of a server with Cohere's API to rank documents, or one like it. */
export function rerankCodec(
  endpointOf: (call: { readonly key?: string }) => RerankEndpoint,
  compatibility: RerankCompatibility,
): RerankCodec {
  const { maxDocuments } = compatibility
  return {
    ...(maxDocuments === undefined ? {} : { maxDocuments }),
    encode: call => {
      const { url, headers } = endpointOf(call)
      const { body, list } = rerankBody(call, compatibility)
      return rerankRequest(url, headers, { ...body, model: call.model }, list)
    },
    decode: decodeRerank,
  }
}

/** Writes the fields of a request but the model. Documents are never asked back: callers get their own. */
export function rerankBody(
  { request, unsupportedParameters }: RerankCall,
  { topN = 'top_n', fields = [], defaults }: RerankCompatibility,
): { readonly body: Readonly<Record<string, unknown>>; readonly list: ParameterAdjuster['list'] } {
  const { query, documents, topN: most, extra = {} } = request
  const adjuster = new ParameterAdjuster(unsupportedParameters)
  const further: Record<string, unknown> = { ...defaults }
  for (const [name, value] of Object.entries(extra)) {
    if (fields.includes(name)) further[name] = value
    else adjuster.drop(name, 'not known to this vendor')
  }
  return {
    body: { ...further, query, documents, ...(most === undefined ? {} : { [topN]: most }) },
    list: adjuster.list,
  }
}

/** Returns a request with a JSON body, and what was adjusted for it. */
function rerankRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  list: ParameterAdjuster['list'],
): EncodedRequest {
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...headers,
    },
    body: JSON.stringify(body),
    ...(list.length === 0 ? {} : { adjustments: list }),
  }
}

/**
 * Decodes an order of documents. Rejects with `UpstreamError`: `refused` for an error response, also with status 200; `garbled` for
 * anything but a list of results.
 */
export function decodeRerank(response: UpstreamResponse): Promise<RerankReply> {
  return decodeRerankAs(response, parseErrorResponse)
}

/** As `decodeRerank`, with another way to read errors. */
export async function decodeRerankAs(
  response: UpstreamResponse,
  parseError: typeof parseErrorResponse,
): Promise<RerankReply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseError(response, wallClock)
  checkResponseHead(response)
  const value = parsed(await response.text())
  const list = isFields(value) ? (value.results ?? value.data) : undefined
  if (isFields(value) && Array.isArray(list)) return replyOf(value, list)
  throw errorInBody(value) ?? garbled('a body without results')
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw UpstreamError.is(cause) ? cause : garbled('something that is no JSON', cause)
  }
}

function replyOf(value: Fields, list: readonly unknown[]): RerankReply {
  const { usage, meta } = value
  const { tokens, billed_units: billed } = isFields(meta) ? meta : ({} as Fields)
  const model = textOf(value.model)
  const counted =
    (isFields(usage) ? (countOf(usage.total_tokens) ?? countOf(usage.prompt_tokens)) : undefined) ??
    (isFields(tokens) ? countOf(tokens.input_tokens) : undefined)
  const searchUnits = isFields(billed) ? countOf(billed.search_units) : undefined
  return {
    results: list.map(resultOf),
    ...(model === undefined ? {} : { model }),
    // No query is empty, so 0 tokens mean that the vendor did not count them.
    ...(counted === undefined || counted === 0 ? {} : { promptTokens: counted }),
    ...(searchUnits === undefined ? {} : { searchUnits }),
  }
}

function resultOf(entry: unknown): RerankResult {
  if (!isFields(entry)) throw garbled('a result that is no object')
  const { index, relevance_score: score } = entry
  if (typeof index !== 'number' || typeof score !== 'number') throw garbled('a result without a score')
  return { index, score }
}

function garbled(what: string, cause?: unknown): UpstreamError {
  return new UpstreamError(`The upstream answered a request to rank documents with ${what}.`, {
    kind: 'garbled',
    ...(cause === undefined ? {} : { cause }),
  })
}
