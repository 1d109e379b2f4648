import { hash } from './hash.ts'

const word = /[\p{L}\p{M}\p{N}_]+/gu

/**
 * Returns a vector of length 1 for a text: each word, and each three characters of a word, has a place and a sign by its hash. It is
 * not a model: texts that share words are similar, and synonyms are not. Equal texts have equal vectors on every machine.
 */
export function embedText(text: string, dimensions: number): readonly number[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const vector = new Float64Array(dimensions)
  for (const [found] of plain.matchAll(word)) {
    add(vector, found, 1)
    const padded = ` ${found} `
    for (let at = 0; at + 3 <= padded.length; at++) add(vector, padded.slice(at, at + 3), 0.25)
  }
  return ofLengthOne(vector, plain)
}

/** Returns a vector of length 1 for token ids, each as if it were a word. */
export function embedTokens(tokens: readonly number[], dimensions: number): readonly number[] {
  const vector = new Float64Array(dimensions)
  for (const token of tokens) add(vector, `#${token}`, 1)
  return ofLengthOne(vector, tokens.join(' '))
}

function add(vector: Float64Array, feature: string, weight: number): void {
  const state = hash(feature)
  // The sign is by another bit than the place, so that they are independent.
  const sign = (hash(feature, 1) & 1) === 0 ? 1 : -1
  vector[state % vector.length]! += sign * weight
}

/** Seven decimals are as exact as float32, and short. Where all is 0, as without words, the whole text has one place. */
function ofLengthOne(vector: Float64Array, text: string): readonly number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (length < 1e-9) {
    vector.fill(0)
    vector[hash(text) % vector.length] = 1
    return [...vector]
  }
  // To add 0 turns -0 into 0.
  return Array.from(vector, value => Math.round((value / length) * 1e7) / 1e7 + 0)
}
