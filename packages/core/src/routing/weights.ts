import { configurationError, type OptionPath } from '../errors/configuration-error.ts'

/**
 * Weights that can be used. Throws `ConfigurationError` for others.
 *
 * @param pathOf - where the weight of an entry stands, by its index.
 */
export function checkWeights(
  owner: string,
  weights: readonly unknown[],
  pathOf: (at: number) => OptionPath,
): readonly number[] {
  for (const [at, weight] of weights.entries()) {
    if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) continue
    throw configurationError(owner, pathOf(at), weight, 'a number from 0')
  }
  if (weights.every(weight => weight === 0)) {
    throw configurationError(owner, pathOf(0), 0, 'a weight above 0 for one entry at least')
  }
  return weights as readonly number[]
}
