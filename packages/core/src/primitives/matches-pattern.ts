/**
 * Whether a name fits a pattern, in which `*` stands for any text, also none. Linear in both: every `*`
 * takes the first place where the next piece fits, which is enough as only the last piece is anchored.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return pattern === name
  const first = pieces[0]!
  const last = pieces.at(-1)!
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at)
    if (found === -1 || found + piece.length > name.length - last.length) return false
    at = found + piece.length
  }
  return true
}
