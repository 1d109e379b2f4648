const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/u
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
const controls = /[\p{Cc}\p{Cf}]/gu

const lineControls = /[\p{Cc}\u2028\u2029]/u

/** Whether a text has line breaks or other control characters. Formatting characters, which names may need, are none. */
export function hasControls(text: string): boolean {
  return lineControls.test(text)
}

/**
 * Returns a text on one line, safe for logs: line breaks and tabs become a space, control and bidirectional characters their
 * code, such as `\u001b`.
 */
export function oneLine(text: string): string {
  return unprintable.test(text) ? text.replaceAll(breaks, ' ').replaceAll(controls, code) : text
}

function code(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
  return digits.length === 4 ? `\\u${digits}` : `\\u{${digits}}`
}

const maxLength = 200

/** Returns a text on one line, truncated to 200 characters. */
export function boundedLine(text: string): string {
  const line = oneLine(text.slice(0, maxLength))
  return text.length <= maxLength ? line : `${line}...`
}

/**
 * Returns a text that every database can store: NUL and unpaired surrogates become `U+FFFD`. Otherwise one invalid text would
 * fail a batch of records.
 */
export function storableText(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')
}

/** Marks a text that is stored as JSON. */
const mark = '\u0001'

/** Returns a text without NUL, which databases cut or refuse. `unescapeNul` restores the original. */
export function escapeNul(text: string): string {
  return text.includes('\0') || text.startsWith(mark) ? `${mark}${JSON.stringify(text)}` : text
}

/** Restores a text that `escapeNul` returned. */
export function unescapeNul(escaped: string): string {
  return escaped.startsWith(mark) ? String(JSON.parse(escaped.slice(mark.length))) : escaped
}

/** Returns a copy of tags with texts that every database can store. */
export function storableTags(tags: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags ?? {}).map(([name, value]) => [storableText(name), storableText(String(value))]),
  )
}
