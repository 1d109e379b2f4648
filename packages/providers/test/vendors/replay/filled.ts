const placeholder = /^(?<before>[\s\S]*)\$from:(?<pointer>\/.*)$/

/** A request with its placeholders filled from what was recorded. */
export function filled(value: unknown, recorded: unknown): unknown {
  if (typeof value === 'string') {
    const { before = '', pointer } = placeholder.exec(value)?.groups ?? {}
    if (pointer === undefined) return value
    const found = at(recorded, pointer)
    if (before === '') return found
    if (typeof found !== 'string') throw new TypeError(`${value}: expected a text there`)
    return before + found
  }
  if (Array.isArray(value)) return value.map(item => filled(item, recorded))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, filled(of, recorded)]))
}

/** What is at a JSON pointer (RFC 6901). Throws `TypeError` where nothing is. */
function at(value: unknown, pointer: string): unknown {
  let here: unknown = value
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    here = typeof here === 'object' && here !== null ? (here as Record<string, unknown>)[key] : undefined
    if (here === undefined) throw new TypeError(`${pointer}: there is nothing`)
  }
  return here
}
