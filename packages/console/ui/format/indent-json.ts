const maxDepth = 64

/**
 * Returns JSON with a line for each member, indented by its depth. Names, texts and numbers stay as they are written, also those
 * that `JSON.parse` would change. It ends soon after `maxLength` characters. `undefined`: it is no JSON, or nested more than 64 deep.
 */
export function indentJson(json: string, maxLength: number): string | undefined {
  if (!isJson(json)) return undefined
  let text = ''
  let depth = 0
  for (let at = skipSpace(json, 0); at < json.length && text.length <= maxLength; ) {
    const end = tokenEnd(json, at)
    const token = json.slice(at, end)
    if (token === '{' || token === '[') {
      depth++
      if (depth > maxDepth) return undefined
      const isEmpty = /[}\]]/.test(json[skipSpace(json, end)]!)
      text += isEmpty ? token : token + newLine(depth)
    } else if (token === '}' || token === ']') {
      depth--
      text += /[{[]$/.test(text.at(-1)!) ? token : newLine(depth) + token
    } else if (token === ',') text += token + newLine(depth)
    else if (token === ':') text += ': '
    else text += token
    at = skipSpace(json, end)
  }
  return text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}

/** Returns where a token of valid JSON ends. */
function tokenEnd(json: string, start: number): number {
  const first = json[start]!
  if (/[{}[\],:]/.test(first)) return start + 1
  let at = start + 1
  if (first === '"') {
    while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
    return at + 1
  }
  while (at < json.length && /[^\s{}[\],:]/.test(json[at]!)) at++
  return at
}

function skipSpace(json: string, start: number): number {
  let at = start
  while (at < json.length && /\s/.test(json[at]!)) at++
  return at
}
