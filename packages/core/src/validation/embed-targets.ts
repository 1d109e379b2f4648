import type { EmbeddingInput, EmbedRequest } from '../contracts/embedding.ts'
import type { EmbedCodec, Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'
import { selectTargets } from './accepting-targets.ts'
import { unsupportedOperation, wordsOf } from './capable-targets.ts'

/**
 * Returns the targets that can embed the inputs of a request, in order: those with an `embed` of their provider, in the embedding
 * space of the first. Removes shadows without one in the same way, whatever their space: nobody gets their vectors.
 *
 * @param log - records the targets and shadows that are removed.
 * @throws GatewayError 400, with the reason of the first target, if no target remains.
 */
export function selectEmbedTargets<T extends RoutedTarget>(
  request: EmbedRequest,
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  const sizes = new InputSizes(request.inputs)
  let reason: GatewayError | undefined
  const capable = selectTargets(targets, target => {
    const unsupported = unsupportedInput(target, sizes)
    if (unsupported === undefined) return target
    reason ??= unsupported
    const why = unsupported.reason === 'context_length_exceeded' ? 'too_small' : 'unfit'
    log.skip(target, { why, ...(unsupported.param !== null && { detail: unsupported.param }) })
    return undefined
  })
  const [first] = capable
  if (first === undefined) throw reason ?? unsupportedEmbeddings()
  const space = spaceOf(first)
  if (capable.every(target => spaceOf(target) === space)) return capable
  return capable.filter(target => {
    const isSame = spaceOf(target) === space
    if (!isSame) log.skip(target, { why: 'unfit', detail: 'another embedding space' })
    return isSame
  })
}

/** Returns the maximum number of inputs of one call: the least of the targets. */
export function maxInputsOf(targets: readonly Target[]): number {
  return Math.min(...targets.map(target => maxInputs(codecOf(target)!, target.model)))
}

/** Returns the maximum number of tokens of the inputs of one call: the least of the targets. Throws `TypeError` for an invalid one. */
export function maxInputTokensOf(targets: readonly Target[]): number {
  return Math.min(
    ...targets.map(target => {
      const { maxInputTokens: tokens = Number.POSITIVE_INFINITY } = codecOf(target)!
      if (tokens > 0) return tokens
      throw new TypeError(
        `The provider's embed.maxInputTokens is ${String(tokens)}, expected a number above 0.`,
      )
    }),
  )
}

/**
 * Removes shadows that embed fewer inputs at once than the targets, as a mirrored call is not split.
 *
 * @param log - records the shadows that are removed.
 */
export function withFittingShadows<T extends RoutedTarget>(
  targets: readonly T[],
  inputs: number,
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  return selectTargets(targets, target => {
    if (inputs <= maxInputs(codecOf(target)!, target.model)) return target
    log.skip(target, { why: 'unfit', detail: 'input' })
    return undefined
  })
}

/** Throws `TypeError` for an invalid maximum. */
function maxInputs({ maxInputs: most = Number.POSITIVE_INFINITY }: EmbedCodec, model: string): number {
  const inputs = typeof most === 'function' ? most(model) : most
  if (inputs >= 1 && (Number.isInteger(inputs) || inputs === Number.POSITIVE_INFINITY)) return inputs
  throw new TypeError(`The provider's embed.maxInputs is ${String(inputs)}, expected a whole number from 1.`)
}

function codecOf({ provider }: Target): EmbedCodec | undefined {
  return memberOf(provider, 'embed')
}

/** A name of a space is none of a model. */
function spaceOf({ embeddingSpace, model }: Target): string {
  return embeddingSpace === undefined ? `model ${model}` : `space ${embeddingSpace}`
}

function unsupportedInput(target: Target, sizes: InputSizes): GatewayError | undefined {
  const { capabilities } = target
  const unsupported = capabilities && unsupportedOperation('embed', capabilities)
  if (unsupported !== undefined) return unsupported
  if (codecOf(target) === undefined) return unsupportedEmbeddings()
  const contextTokens = capabilities?.contextTokens
  return contextTokens === undefined ? undefined : sizes.tooLong(contextTokens)
}

function unsupportedEmbeddings(): GatewayError {
  return new GatewayError('unsupported_value', {
    message: 'This model does not support embeddings.',
    param: 'model',
  })
}

/** The sizes of inputs, as lower bounds of their tokens: token ids, or words. */
class InputSizes {
  readonly #inputs: readonly EmbeddingInput[]
  /** The words of texts that were counted, by index. */
  readonly #words = new Map<number, number>()

  constructor(inputs: readonly EmbeddingInput[]) {
    this.#inputs = inputs
  }

  /** Returns the error for the first input that certainly exceeds a context length, or `undefined`. */
  tooLong(contextTokens: number): GatewayError | undefined {
    for (const [index, input] of this.#inputs.entries()) {
      // A token is no shorter than a character, and a word has a space after it.
      if (input.length <= contextTokens) continue
      const size = typeof input === 'string' ? this.#wordsOf(input, index) : input.length
      if (size <= contextTokens) continue
      const unit = typeof input === 'string' ? 'words, and so no fewer tokens' : 'tokens'
      return new GatewayError('context_length_exceeded', {
        message: `This model's maximum context length is ${contextTokens} tokens. However, your input has ${size} ${unit}. Please reduce the length of the input.`,
        param: this.#inputs.length === 1 ? 'input' : `input[${index}]`,
      })
    }
    return undefined
  }

  #wordsOf(text: string, index: number): number {
    const words = this.#words.get(index) ?? wordsOf(text)
    this.#words.set(index, words)
    return words
  }
}
