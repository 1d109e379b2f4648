const maxLength = 200

/** A text that others chose, cut after 200 characters. */
export function truncateText(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text
}
