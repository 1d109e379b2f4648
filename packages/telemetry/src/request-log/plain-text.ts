/** Control characters, bidirectional and invisible characters, and line separators. */
export const steering: RegExp = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Replaces characters that could break the line or control a terminal by `?`. */
export function plainText(text: string): string {
  return text.replace(steering, '?')
}

/** Cuts a text to `maxLength` characters, and adds an ellipsis where it was longer. */
export function shortText(text: string, maxLength = 200): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
