/** Returns the name closest to a misspelt text, or `undefined` if none is close. */
export function closest(text: string, names: Iterable<string>): string | undefined {
  const short = text.slice(0, maxLength)
  let best: string | undefined
  let least = Math.floor(Math.max(short.length, 3) / 3) + 1
  for (const name of names) {
    if (Math.abs(name.length - short.length) >= least) continue
    const distance = edits(short.toLowerCase(), name.toLowerCase())
    if (distance >= least) continue
    best = name
    least = distance
  }
  return best
}

/** Longer texts are truncated before they are compared, which bounds the time. */
const maxLength = 100

/** Returns the edit distance: replaced, inserted, deleted or transposed letters (optimal string alignment). */
function edits(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1)
      }
      row.push(cost)
    }
    before = above
    above = row
  }
  return above[b.length]!
}
