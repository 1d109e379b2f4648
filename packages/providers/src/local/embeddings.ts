import type { EmbeddingInput } from '@sluice/core/provider'
import { embedText, embedTokens } from './embed-text.ts'
import type { FakeError } from './script.ts'
import { countTokens } from './tokens.ts'

/** Where the local provider embeds. */
export const embeddingsUrl = 'local:embeddings'
/** The maximum number of inputs of one call: more are split, so that a response stays small. */
export const maxLocalInputs = 64
const maxDimensions = 8_192
const defaultDimensions = 256

/** A request for embeddings as the local provider encodes it. */
export interface LocalEmbeddings {
  readonly model: string
  readonly input: readonly EmbeddingInput[]
  readonly encoding_format: 'float' | 'base64'
  readonly dimensions?: number
}

/** Returns why a request is refused, or `undefined`. */
export function embeddingsError(
  { input, dimensions = defaultDimensions }: LocalEmbeddings,
  contextWindow = Number.POSITIVE_INFINITY,
): FakeError | undefined {
  if (dimensions > maxDimensions) {
    const message = `${dimensions} is greater than the maximum of ${maxDimensions} - 'dimensions'`
    return { status: 400, message, code: 'unsupported_value', param: 'dimensions' }
  }
  const tokens = Math.max(...input.map(tokensOf))
  if (tokens <= contextWindow) return undefined
  const message = `This model's maximum context length is ${contextWindow} tokens, however you requested ${tokens} tokens. Please reduce your prompt.`
  return { status: 400, message, code: 'context_length_exceeded', param: 'input' }
}

/** Writes the response: a list of vectors, in the encoding of the request. */
export function embeddingsJson(request: LocalEmbeddings): string {
  const { model, input, encoding_format: encoding, dimensions = defaultDimensions } = request
  const data = input.map((entry, index) => {
    const values = typeof entry === 'string' ? embedText(entry, dimensions) : embedTokens(entry, dimensions)
    return { object: 'embedding', index, embedding: encoding === 'base64' ? base64Of(values) : values }
  })
  const tokens = input.reduce((sum, entry) => sum + tokensOf(entry), 0)
  return JSON.stringify({
    object: 'list',
    data,
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}

function tokensOf(input: EmbeddingInput): number {
  return typeof input === 'string' ? countTokens(input) : input.length
}

/** Float32 values, the lowest byte first, as base64. */
function base64Of(values: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(values.length * 4))
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true)
  let bytes = ''
  for (let at = 0; at < view.byteLength; at++) bytes += String.fromCharCode(view.getUint8(at))
  return btoa(bytes)
}
