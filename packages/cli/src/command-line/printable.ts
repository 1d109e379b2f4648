/** A word of a stranger within a message: not longer than one line takes, and nothing that steers a terminal. */
export function printable(text: string, maxLength = 60): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}...` : plain
}
