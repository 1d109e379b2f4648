/** A word of a stranger within a message: not longer than one line takes, and nothing that steers a terminal. */
export function shown(text: string, longest = 60): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
  return plain.length > longest ? `${plain.slice(0, longest)}...` : plain
}
