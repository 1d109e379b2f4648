import type {
  Adjustment,
  Call,
  Capabilities,
  ChatRequest,
  EncodedRequest,
  Provider,
  Target,
} from '@sluice/core/provider'
import { decodeChatCompletions } from './chat-completions.ts'
import { reportLosses } from './conversation/report-losses.ts'
import type { EmbeddingCompatibility } from './embeddings/embedding-compatibility.ts'
import { decodeOpenAIEmbeddings, encodeOpenAIEmbeddings } from './embeddings/openai-embeddings.ts'
import { embeddingsUrl, maxLocalInputs } from './local/embeddings.ts'
import { validateFaults } from './local/faults.ts'
import { validateOptions } from './local/options.ts'
import { validatePace } from './local/pace.ts'
import { rerankUrl } from './local/rerank.ts'
import { validateScript } from './local/script.ts'
import type { LocalOptions } from './local/server.ts'
import { createServer } from './local/server.ts'
import { generateStructured } from './local/structured-output.ts'
import { ParameterAdjuster } from './parameters/parameter-adjuster.ts'
import { rerankCodec } from './rerank/rerank-codec.ts'

export type { LocalFaults } from './local/faults.ts'
export type { LocalPace } from './local/pace.ts'
export type { FakeError, FakeReply, FakeToolCall, LocalScript } from './local/script.ts'
export type { LocalOptions } from './local/server.ts'

/** A configured `local()` provider: call it with a model's name to get a target. Default name: `local`. */
export interface LocalProvider {
  (model?: string, capabilities?: Capabilities): Target
  readonly provider: Provider
}

const embeddings: EmbeddingCompatibility = { encodings: ['float', 'base64'], fields: [] }
const positive = { min: 1, max: Number.MAX_SAFE_INTEGER, integer: true }
const names = 'pace faults script contextWindow now maxConcurrent'

/**
 * Creates the embedded provider: an in-process chat-completions server for tests and for a first start without a key.
 * It is not a language model, and says so. The same request gets the same response.
 *
 * It solves a simple calculation, calls the tools of the request with arguments generated from their schemas, generates an
 * object for a JSON schema, and echoes the user's words otherwise. Schema keywords that it ignores, such as
 * `pattern`, are reported as adjustments. Tokens are words and punctuation marks. A choice has at most 8,192 of them.
 *
 * Its embeddings are hashes of words and of parts of words, not those of a model. It ranks documents by the words that they share with
 * the query.
 *
 * Throws `ConfigurationError` for an unknown option, and `TypeError` or `RangeError` for an invalid value.
 */
export function local(options: LocalOptions = {}): LocalProvider {
  const provider = localProvider(options)
  const target = (model = 'local', capabilities?: Capabilities): Target =>
    capabilities === undefined ? { provider, model } : { provider, model, capabilities }
  return Object.assign(target, { provider })
}

function localProvider(options: LocalOptions): Provider {
  validateOptions('', options, names, { contextWindow: positive, maxConcurrent: positive })
  const { pace = {}, faults, script, now, maxConcurrent } = options
  validatePace(pace)
  if (script !== undefined && faults !== undefined) {
    throw new TypeError(
      'local(): got both faults and script, expected one of them. Write the faults into the script.',
    )
  }
  if (faults !== undefined) validateFaults(faults)
  if (script !== undefined) validateScript(script)
  if (now !== undefined && typeof now !== 'function')
    throw new TypeError(`local(): now must be a function, but is ${typeof now}.`)
  return {
    name: 'local',
    // It reads nothing beyond the protocol.
    restrictedFields: {},
    encode: call => encode(call, script === undefined),
    decode: (response, call) => decodeChatCompletions(response, call),
    embed: {
      maxInputs: maxLocalInputs,
      encode: call => encodeOpenAIEmbeddings(call, { url: embeddingsUrl, headers: {} }, embeddings),
      decode: (response, call) => decodeOpenAIEmbeddings(response, call, embeddings),
    },
    rerank: rerankCodec(() => ({ url: rerankUrl, headers: {} }), {}),
    transport: createServer(options),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
  }
}

/** Streams always request their token usage. */
function encode(call: Call, isGenerated: boolean): EncodedRequest {
  const { input, model } = call
  const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
  reportLosses(call, adjuster)
  const body =
    input.stream === true
      ? { ...input, model, stream_options: { ...input.stream_options, include_usage: true } }
      : { ...input, model }
  const adjustments = [...adjuster.list, ...(isGenerated ? adjustmentsOf(input) : [])]
  return {
    method: 'POST',
    url: 'local:chat/completions',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(adjustments.length === 0 ? {} : { adjustments }),
  }
}

/** Returns adjustments for ignored schema keywords. The transport refuses a schema that it cannot generate a value for. */
function adjustmentsOf(input: ChatRequest): readonly Adjustment[] {
  if (!input.tools && !input.functions && input.response_format?.type !== 'json_schema') return []
  return generateStructured(input).adjustments
}
