import { parseJson, stringEnd } from './parse-json.ts'

/**
 * What a number beyond 2^53 begins with while it stands as a text. Half of a surrogate pair: the gateway takes no
 * request that holds one, so no text of a caller's is mistaken for such a number.
 */
const mark = '\\ud800'

/**
 * The value of a JSON text, as `parseJson` gives it, but that whole numbers which a double would round, such as ids
 * of 64 bits, keep their digits: as texts that only `exactJsonText` reads. Throws as `parseJson` does.
 */
export function parseExactJson(text: string): unknown {
  // Nearly every text ends here.
  if (!/\d{16}/.test(text) || /\\ud800/i.test(text)) return parseJson(text)
  return parseJson(withMarkedNumbers(text))
}

/** A value as JSON text, with the digits that `parseExactJson` kept. */
export function exactJsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes(`"${mark}`) ? text.replace(/"\\ud800(-?\d+)"/g, '$1') : text
}

function withMarkedNumbers(text: string): string {
  const tokens = /"|-?\d[\d.eE+-]*/g
  let result = ''
  let from = 0
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found
    if (token === '"') {
      const end = stringEnd(text, found.index)
      if (end === -1) break
      tokens.lastIndex = end + 1
    } else if (/^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token))) {
      result += `${text.slice(from, found.index)}"${mark}${token}"`
      from = tokens.lastIndex
    }
  }
  return result + text.slice(from)
}
