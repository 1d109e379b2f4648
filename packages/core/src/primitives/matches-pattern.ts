/**
 * Returns whether a name matches a pattern, in which `*` matches any text, even an empty one. Takes linear time: each `*`
 * matches up to the first occurrence of the next piece, which suffices because only the last piece is anchored.
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
