import type { TokenLogprob } from '@sluice/core'
import { hash } from './hash.ts'
import { tokens } from './tokens.ts'

const encoder = new TextEncoder()
const others =
  ' the, a, is, of, to, and, in, it, that, you, for, on, with, as, this, be, are, at, or, not, by, so, an'.split(
    ',',
  )

/**
 * Log probabilities for the tokens of a text. They are made up: always the same ones for a
 * token, between 0 and -0.7, with alternatives that become less likely and sum to less than 1.
 */
export function logprobsOf(text: string, top: number): TokenLogprob[] {
  return tokens(text).map(token => {
    const probability = 0.5 + (hash(token) % 4_900) / 10_000
    const listed = [entry(token, probability)]
    let left = 1 - probability
    for (let rank = 0; listed.length < top && rank < others.length; rank++) {
      const other = others[(rank + hash(token)) % others.length]!
      if (other === token) continue
      left /= 2
      listed.push(entry(other, left))
    }
    return { ...entry(token, probability), top_logprobs: listed.slice(0, top) }
  })
}

function entry(token: string, probability: number): { token: string; logprob: number; bytes: number[] } {
  return { token, logprob: Number(Math.log(probability).toFixed(6)), bytes: [...encoder.encode(token)] }
}
