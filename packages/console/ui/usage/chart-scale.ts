/** A round number that is not below `value`, so that an axis ends at it: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten. */
export function roundTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find(factor => factor * power >= value * 0.9999) ?? 10
  return step * power
}

/** The values of one minute, one upon the other: from where to where each of them reaches. */
export function stacked(values: readonly (number | null)[]): readonly (readonly [number, number])[] {
  let base = 0
  return values.map(value => {
    const from = base
    base += value ?? 0
    return [from, base]
  })
}

/** The places of a line's points, in runs without a gap. */
export function runsOf(values: readonly (number | null)[]): readonly (readonly number[])[] {
  const runs: number[][] = []
  let last: number | undefined
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    if (last === at - 1) runs.at(-1)!.push(at)
    else runs.push([at])
    last = at
  }
  return runs
}
