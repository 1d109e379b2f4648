export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which a share of all lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}

/** A number in three digits or so, with its unit: `94 us`, `0.128 ms`. */
export function figure(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  const text = Number(value.toFixed(digits)).toLocaleString('en', { maximumFractionDigits: 3 })
  return `${text} ${unit}`
}

/** How many times as much: `1.79 x`. */
export function times(value: number): string {
  return `${value.toFixed(2)} x`
}

/** The median of ratios, and their quartiles: `1.79 x (1.75 to 1.83)`. */
export function ratioOf(ratios: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map(share => quantile(ratios, share).toFixed(2))
  return ratios.length < 4 ? `${middle} x` : `${middle} x (${low} to ${high})`
}
