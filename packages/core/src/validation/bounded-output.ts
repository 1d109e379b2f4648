import type { Adjustment, Target } from '../contracts/provider.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { speaks } from './speaks.ts'

/** A request with a limit on its output, and the adjustments for it. */
export interface BoundedOutput {
  readonly request: GenerateRequest
  readonly adjustments: readonly Adjustment[]
}

/**
 * Sets the maximum output of a request without one to the reserved tokens, so that it cannot use more than was reserved.
 *
 * Throws `TypeError` for an invalid maximum.
 */
export function boundOutput(request: GenerateRequest, maxOutputTokens: number | undefined): BoundedOutput {
  if (maxOutputTokens === undefined) return { request, adjustments: none }
  const { max_completion_tokens: named, max_tokens: older } = request.settings()
  if ((named ?? older) !== undefined) return { request, adjustments: none }
  if (!(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens >= 1)) {
    throw new TypeError(
      `limits returned a lease with maxOutputTokens ${String(maxOutputTokens)}, expected a whole number from 1.`,
    )
  }
  const adjustments = defaultedTo(request.pathOf('max_completion_tokens'), maxOutputTokens)
  return { request: request.withMaxOutput(maxOutputTokens), adjustments }
}

const none: readonly Adjustment[] = Object.freeze([])

function defaultedTo(parameter: string, maxOutputTokens: number): readonly Adjustment[] {
  const detail = String(maxOutputTokens)
  return [{ parameter, action: 'defaulted', detail }]
}

/**
 * Lowers an added maximum output for targets whose model supports less. Otherwise they would reject a value that the caller
 * did not set.
 *
 * @param isBound - whether a target's maximum applies. Default: it does.
 */
export function boundTargets<T extends Target>(
  targets: readonly T[],
  tokens: number,
  isBound: (target: T) => boolean = () => true,
): readonly T[] {
  const maxTokensOf = (target: T) =>
    (isBound(target) ? target.capabilities?.maxOutputTokens : undefined) ?? tokens
  if (targets.every(target => maxTokensOf(target) >= tokens)) return targets
  return targets.map(target => {
    if (maxTokensOf(target) >= tokens) return target
    return { ...target, parameters: { max_completion_tokens: maxTokensOf(target), ...target.parameters } }
  })
}

/** Lowers the maximum output of a request for targets whose model supports less, and that get a translation of it. */
export function lowerMaxOutput<T extends Target>(
  targets: readonly T[],
  request: GenerateRequest,
): readonly T[] {
  const { max_completion_tokens: tokens } = request.settings()
  if (tokens === undefined) return targets
  return boundTargets(
    targets,
    tokens,
    target => request.native === undefined || !speaks(target, request.dialect),
  )
}
