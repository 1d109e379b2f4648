/**
 * Where in a JSON text a character stands, as a path of keys and indexes. Slow: for the texts of errors.
 * The key that itself stands at `position` is not part of the path.
 */
export function jsonPath(text: string, position: number): (string | number)[] {
  const path: (string | number)[] = []
  let keyNext = false
  for (let at = 0; at < position; at++) {
    const character = text[at]
    if (character === '"') {
      const end = stringEnd(text, at)
      if (end === -1 || end >= position) break
      if (keyNext) path[path.length - 1] = unescaped(text.slice(at + 1, end)) ?? '?'
      keyNext = false
      at = end
    } else if (character === '{') {
      path.push('')
      keyNext = true
    } else if (character === '[') {
      path.push(0)
    } else if (character === '}' || character === ']') {
      path.pop()
      keyNext = false
    } else if (character === ',') {
      const step = path.at(-1)
      if (typeof step === 'number') path[path.length - 1] = step + 1
      else keyNext = true
    }
  }
  if (keyNext) path.pop()
  return path
}

/** Where the string that opens at `open` ends; -1 where it does not. */
export function stringEnd(text: string, open: number): number {
  let end = text.indexOf('"', open + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, position: number): boolean {
  let before = position - 1
  while (text.charCodeAt(before) === 92) before--
  return (position - before) % 2 === 0
}

/** What stands between the quotes of a JSON string, its escapes undone; `undefined` where it is no JSON. */
export function unescaped(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return undefined
  }
}
