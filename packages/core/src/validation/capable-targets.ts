import type { Target } from '../contracts/provider.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { GatewayError } from '../errors/errors.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { wordCount } from '../usage/word-count.ts'
import { inputParts } from './input-parts.ts'
import { modelMisfit } from './model-misfit.ts'
import { overriddenInput } from './overridden-input.ts'

/** What is asked of the targets. */
export interface Fit {
  /** Also what hosted services ask of reasoning models and of others. */
  readonly live: boolean
  /** Size of the request's body. */
  readonly bytes: number
  /** How many tokens prompt and answer are likely to have together. Is asked where a target has a bound of them. */
  readonly likelyTokens: () => number
  /** Is told of those that cannot take it. */
  readonly skip: (target: Target, why: SkipReason) => void
}

/**
 * The targets that can take a request, as far as their capabilities are known, in their order; those after the others
 * that the request likely does not fit in. Only those are left out that it surely does not fit in: a prompt with more
 * words than the context has tokens.
 *
 * @throws GatewayError 400, with the first target's reason, when there is none.
 */
export function capableTargets<T extends Target>(
  input: ChatRequest,
  targets: readonly T[],
  fit: Fit,
): readonly T[] {
  const parts = inputParts(input.messages)
  const capable: T[] = []
  const tight: T[] = []
  let reason: GatewayError | undefined
  let words: number | undefined
  let tokens: number | undefined
  for (const target of targets) {
    const { capabilities, parameters } = target
    if (capabilities === undefined) {
      capable.push(target)
      continue
    }
    const { contextTokens = Number.POSITIVE_INFINITY } = capabilities
    // Two bytes are one word at most: nobody counts those of a short prompt.
    if (fit.bytes / 2 > contextTokens) words ??= wordCount(input.messages)
    const asked = parameters === undefined ? input : overriddenInput(input, parameters).input
    const found = modelMisfit(asked, { parts, words: words ?? 0 }, capabilities, fit.live)
    if (found !== undefined) {
      reason ??= found
      const why = found.refusal === 'context_length_exceeded' ? 'too_small' : 'unfit'
      fit.skip(target, { why, ...(found.param !== null && { detail: found.param }) })
      continue
    }
    if (contextTokens !== Number.POSITIVE_INFINITY) tokens ??= fit.likelyTokens()
    if (tokens !== undefined && tokens > contextTokens) tight.push(target)
    else capable.push(target)
  }
  if (capable.length + tight.length === 0 && reason !== undefined) throw reason
  return tight.length === 0 ? capable : [...capable, ...tight]
}
