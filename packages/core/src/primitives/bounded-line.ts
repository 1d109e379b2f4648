import { oneLine } from './one-line.ts'

const longest = 200

/** A text for a record that others fill: one line, cut after 200 characters. */
export function boundedLine(text: string): string {
  const line = oneLine(text.slice(0, longest))
  return text.length <= longest ? line : `${line}...`
}
