/** Control characters, those that turn the direction of text or are not seen, and ends of lines of all kinds. */
export const steering: RegExp = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Text on a line: what would break the line or steer a terminal is a `?`. */
export function plainText(text: string): string {
  return text.replace(steering, '?')
}

/** Of a text that is longer than a name, or `longest` characters, the beginning, and an ellipsis that says so. */
export function shortText(text: string, longest = 200): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
