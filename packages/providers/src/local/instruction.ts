/** A text taken apart into what it asks and what it asks it of. */
export interface Instruction {
  /** In lower case, at most 200 characters. */
  readonly asks: string
  /** The text that is to be worked on; undefined where none was set apart. */
  readonly subject: string | undefined
}

/**
 * Takes apart `count the words in: one two`, `reverse "abc"`, or an instruction on the first line with the
 * text below it.
 */
export function readInstruction(text: string): Instruction {
  const trimmed = text.trim()
  const lines = quotedLines(trimmed)
  if (lines !== undefined) return lines
  const head = trimmed.slice(0, 200)
  const newline = head.indexOf('\n')
  const colon = head.search(/:(?:\s|$)/)
  if (colon >= 0 && (newline < 0 || colon < newline)) {
    const subject = trimmed.slice(colon + 1).trim()
    if (subject !== '') return { asks: head.slice(0, colon).toLowerCase(), subject: unquote(subject) }
  }
  if (newline >= 0) {
    return { asks: head.slice(0, newline).toLowerCase(), subject: trimmed.slice(newline + 1).trim() }
  }
  if (trimmed.length > 5_000) return { asks: head.toLowerCase(), subject: undefined }
  const quoted = longestQuoted(trimmed)
  return quoted === undefined
    ? { asks: head.toLowerCase(), subject: undefined }
    : { asks: head.toLowerCase(), subject: quoted }
}

/** `count the lines in "one` and `two"?` below it: what is quoted goes on over the line's end. */
function quotedLines(text: string): Instruction | undefined {
  if (text.length > 5_000 || !text.includes('\n')) return undefined
  const parts = /^([^"“`\n]{1,200})(?:"([^"]+)"|“([^”]+)”|`([^`]+)`)[\s?.!]*$/.exec(text)
  const subject = parts?.[2] ?? parts?.[3] ?? parts?.[4]
  return parts && subject !== undefined ? { asks: (parts[1] ?? '').toLowerCase(), subject } : undefined
}

/** What stands in quotation marks in a text, in its order. */
export function quotedIn(text: string): string[] {
  const found: string[] = []
  for (const match of text
    .slice(0, 5_000)
    .matchAll(/"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|`([^`\n]{1,2000})`|(?<![\w])'([^'\n]{1,200})'(?!\w)/g)) {
    found.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
  }
  return found
}

function longestQuoted(text: string): string | undefined {
  let longest: string | undefined
  for (const quoted of quotedIn(text)) if (quoted.length > (longest?.length ?? 0)) longest = quoted
  return longest
}

function unquote(text: string): string {
  const inside = /^(?:"([^"]*)"|“([^”]*)”|`([^`]*)`)$/.exec(text)
  return inside ? (inside[1] ?? inside[2] ?? inside[3] ?? text) : text
}
