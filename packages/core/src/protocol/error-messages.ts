import type { JsonValue } from './chat.ts'

/** A path in a request: keys and indexes, from the outside in. */
export type Path = readonly PropertyKey[]

const maxLength = 64
const maxPathLength = 256

/** Returns the type of a value as in error messages. */
export function typeName(value: JsonValue | unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  switch (typeof value) {
    case 'string':
      return 'a string'
    case 'boolean':
      return 'a boolean'
    case 'number':
      return Number.isInteger(value) ? 'an integer' : 'a decimal number'
    default:
      return 'an object'
  }
}

/** Shortens a text of a caller for an error message, to its first and last three characters if it is long. */
export function shorten(text: string): string {
  if (text.length <= maxLength) return text
  const first = Array.from(text.slice(0, 6)).slice(0, 3)
  const last = Array.from(text.slice(-6)).slice(-3)
  return `${first.join('')}...${last.join('')}`
}

/** Formats values: `'low', 'medium', and 'high'`. */
export function quotedList(values: readonly unknown[]): string {
  const quoted = values.map(value => `'${String(value)}'`)
  const last = quoted.pop() ?? ''
  if (quoted.length === 0) return last
  return quoted.length === 1 ? `${quoted[0]} and ${last}` : `${quoted.join(', ')}, and ${last}`
}

/** Formats a path: `messages[0].content`. Shortens long names and paths. */
export function pathText(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += `${text === '' ? '' : '.'}${shorten(String(step))}`
    if (text.length > maxPathLength) return `${text.slice(0, maxPathLength)}...`
  }
  return text
}
