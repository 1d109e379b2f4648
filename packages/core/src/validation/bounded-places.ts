import type { Target } from '../contracts/provider.ts'

/**
 * The places of a request that was given a bound of so many tokens. One whose model answers with fewer at most has that
 * as its own: what it would refuse is nothing that the caller asked for.
 */
export function boundedPlaces<T extends Target>(targets: readonly T[], tokens: number): readonly T[] {
  const mostOf = ({ capabilities }: T) => capabilities?.maxOutputTokens ?? tokens
  if (targets.every(target => mostOf(target) >= tokens)) return targets
  return targets.map(target => {
    if (mostOf(target) >= tokens) return target
    return { ...target, parameters: { max_completion_tokens: mostOf(target), ...target.parameters } }
  })
}
