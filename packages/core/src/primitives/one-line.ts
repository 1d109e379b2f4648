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
