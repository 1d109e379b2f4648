const longest = 200

/** A text that others chose, cut after 200 characters. */
export function shownText(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}
