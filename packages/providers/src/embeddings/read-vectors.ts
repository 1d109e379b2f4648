import { type EmbeddingVector, UpstreamError } from '@sluice/core/provider'
import { countNumbers, type NumberArrays, parseNumberArrays } from '../wire/number-arrays.ts'

/** A vendor's answer to a request for embeddings. */
export interface EmbeddingsBody {
  /** The parsed answer; its arrays of numbers are readable by `vectorOf` only. */
  readonly value: unknown
  /** Returns a vector of the answer. Throws `UpstreamError` of kind `garbled` for what is none. */
  readonly vectorOf: (member: unknown) => EmbeddingVector
}

type TextVector = Exclude<EmbeddingVector, { readonly kind: 'values' }>

/** A vector with the place of its input. */
export interface IndexedVector {
  readonly index: unknown
  readonly vector: EmbeddingVector
}

/**
 * Parses the answer to a request for embeddings. Vectors stay as the vendor wrote them.
 *
 * Throws `UpstreamError` of kind `garbled` for what is no JSON.
 *
 * @param dimensions - the length that each vector must have. Default: any.
 */
export function parseEmbeddings(text: string, dimensions?: number): EmbeddingsBody {
  const { value, arrayOf } = parsed(text)
  return {
    value,
    vectorOf: member => {
      const vector = vectorIn(member, arrayOf)
      if (dimensions !== undefined) checkLength(vector, dimensions)
      return vector
    },
  }
}

/** Returns the vectors in the order of their inputs. Throws `UpstreamError` of kind `garbled` unless each input has one. */
export function vectorsInOrder(
  entries: readonly IndexedVector[],
  inputs: number,
): readonly EmbeddingVector[] {
  checkCount(entries.length, inputs)
  const vectors: (EmbeddingVector | undefined)[] = Array.from({ length: inputs })
  for (const { index, vector } of entries) {
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < inputs
    if (!isPlace) throw garbledEmbeddings('a vector without the index of an input')
    if (vectors[index] !== undefined) throw garbledEmbeddings('two vectors of one index')
    vectors[index] = vector
  }
  // As many as inputs, each at a place of its own.
  return vectors as readonly EmbeddingVector[]
}

/** Throws `UpstreamError` of kind `garbled` unless there is one vector for each input. */
export function checkCount(vectors: number, inputs: number): void {
  if (vectors !== inputs) throw garbledEmbeddings(`${vectors} vectors for ${inputs} inputs`)
}

/** Creates the error for a response that is not a list of embeddings. It does not quote the body, which can contain anything. */
export function garbledEmbeddings(what: string, cause?: unknown): UpstreamError {
  return new UpstreamError(`The upstream answered with ${what}, expected one vector for each input.`, {
    kind: 'garbled',
    ...(cause === undefined ? {} : { cause }),
  })
}

function parsed(text: string): NumberArrays {
  try {
    return parseNumberArrays(text)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw garbledEmbeddings(text.trim() === '' ? 'an empty body' : 'a body that is no JSON', cause)
  }
}

function vectorIn(member: unknown, arrayOf: NumberArrays['arrayOf']): TextVector {
  if (typeof member === 'string') return base64Vector(member)
  const text = arrayOf(member)
  if (text !== undefined) return { kind: 'json', text }
  if (Array.isArray(member) && member.length === 0) throw garbledEmbeddings('an empty vector')
  throw garbledEmbeddings('a vector that is not made of numbers')
}

function base64Vector(text: string): TextVector {
  if (text === '') throw garbledEmbeddings('an empty vector')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0 || bytesOf(text) % 4 !== 0)
    throw garbledEmbeddings('a vector that is no base64 of numbers')
  return { kind: 'base64', text }
}

function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

function checkLength({ kind, text }: TextVector, dimensions: number): void {
  // A float32 has four bytes.
  const length = kind === 'json' ? countNumbers(text) : bytesOf(text) / 4
  if (length === dimensions) return
  throw garbledEmbeddings(`a vector of ${length} numbers although ${dimensions} were requested`)
}
