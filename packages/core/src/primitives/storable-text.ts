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
