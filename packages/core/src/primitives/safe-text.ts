const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/u
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
const controls = /[\p{Cc}\p{Cf}]/gu

/**
 * A text as one line, for messages that quote a caller and end up in logs: a line break or tab becomes a space, and
 * what would steer a terminal or turn the direction of the text is written as its code, `\u001b`.
 */
export function oneLine(text: string): string {
  return unprintable.test(text) ? text.replaceAll(breaks, ' ').replaceAll(controls, code) : text
}

function code(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
  return digits.length === 4 ? `\\u${digits}` : `\\u{${digits}}`
}

const maxLength = 200

/** A text for a record that others fill: one line, cut after 200 characters. */
export function boundedLine(text: string): string {
  const line = oneLine(text.slice(0, maxLength))
  return text.length <= maxLength ? line : `${line}...`
}

/**
 * Text that every database takes: a zero, or half of a surrogate pair, becomes `U+FFFD`. Entries are written many at
 * once, and one that a database refuses would hold up the others.
 */
export function storableText(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')
}

/** A copy of a principal's tags, in text that every database takes. */
export function storableTags(tags: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags ?? {}).map(([name, value]) => [storableText(name), storableText(String(value))]),
  )
}
