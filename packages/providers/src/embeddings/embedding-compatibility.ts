import { configurationError } from '@sluice/core/adapter'
import type { EmbeddingEncoding, JsonValue } from '@sluice/core/provider'

/** How a server differs from OpenAI's embeddings API. */
export interface EmbeddingCompatibility {
  /** The maximum number of inputs of one request; more are split. Default: no maximum. */
  readonly maxInputs?: number
  /**
   * The values of `encoding_format` that the server takes. If the caller's is not one of them, the field is not sent, and the
   * gateway converts the vectors. Default: none.
   */
  readonly encodings?: readonly EmbeddingEncoding[]
  /** The server's name of `dimensions`; `false` if it has none. Default `dimensions`. */
  readonly dimensions?: string | false
  /** The models whose vectors have a fixed length: names, or beginnings of names such as `acme-2*`. Default: none. */
  readonly fixedDimensions?: readonly string[]
  /** `false` if the server takes texts only, no token ids. Default true. */
  readonly tokens?: boolean
  /** `false` if the server rejects or ignores `user`: it is dropped and reported. Default true. */
  readonly user?: boolean
  /** Further fields that the server takes, such as `input_type`. Others are dropped and reported. Default: it gets all of them. */
  readonly fields?: readonly string[]
  /** Further fields to send if the caller does not: `{ truncation: false }`. */
  readonly defaults?: Readonly<Record<string, JsonValue>>
}

/** OpenAI's own API. It answers 400 to unknown fields. */
export const openaiEmbeddingCompatibility = {
  encodings: ['float', 'base64'],
  fixedDimensions: ['text-embedding-ada-002'],
  fields: [],
} as const satisfies EmbeddingCompatibility

/** The server's name of `dimensions` for a model; `undefined` if it has none. */
export function dimensionsField(
  { dimensions = 'dimensions', fixedDimensions = [] }: EmbeddingCompatibility,
  model: string,
): string | undefined {
  if (dimensions === false || fixedDimensions.some(pattern => matches(pattern, model))) return undefined
  return dimensions
}

function matches(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern
}

type Check = (value: unknown) => boolean

const isText: Check = value => typeof value === 'string' && value !== ''
const isFlag: Check = value => typeof value === 'boolean'
const isTexts: Check = value => Array.isArray(value) && value.every(isText)

const checks: { readonly [K in keyof EmbeddingCompatibility]-?: readonly [Check, string] } = {
  maxInputs: [value => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number of 1 or more'],
  encodings: [
    value => Array.isArray(value) && value.every(name => name === 'float' || name === 'base64'),
    "an array of 'float' and 'base64'",
  ],
  dimensions: [value => value === false || isText(value), 'a field name or false'],
  fixedDimensions: [isTexts, 'an array of model names'],
  tokens: [isFlag, 'true or false'],
  user: [isFlag, 'true or false'],
  fields: [isTexts, 'an array of field names'],
  defaults: [isObject, 'an object of fields'],
}

/** Throws `ConfigurationError` for an invalid option. */
export function validateEmbeddings(given: unknown, owner: string): void {
  const source = `${owner}()`
  if (given === undefined || given === false) return
  if (!isObject(given)) throw configurationError(source, ['embeddings'], given, 'an object or false')
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name)) {
      const expected = `one of ${Object.keys(checks).join(', ')}`
      throw configurationError(source, ['embeddings', name], value, expected)
    }
    const [holds, expected] = checks[name as keyof EmbeddingCompatibility]
    if (value !== undefined && !holds(value))
      throw configurationError(source, ['embeddings', name], value, expected)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
