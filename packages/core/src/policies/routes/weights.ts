/** Weights that can be used. Throws `TypeError` for others. */
export function checkWeights(owner: string, weights: readonly unknown[]): readonly number[] {
  for (const [at, weight] of weights.entries()) {
    if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) continue
    const got = typeof weight === 'string' ? `'${weight}'` : String(weight)
    throw new TypeError(`${owner}: the weight of entry ${at + 1} is ${got}, expected a number from 0.`)
  }
  if (weights.every(weight => weight === 0)) {
    throw new TypeError(`${owner}: all weights are 0, expected one above 0 at least.`)
  }
  return weights as readonly number[]
}
