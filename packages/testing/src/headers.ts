/** Header lines, in the order and spelling of the wire. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/**
 * Headers to send, as pairs or as a record. Pairs are sent as they are, also repeated names. In a record a list is sent as
 * several lines, and `null` leaves out a default header.
 */
export type HeadersToSend = HeaderPairs | Readonly<Record<string, string | readonly string[] | null>>

/** Joins the headers given with the defaults; a default gives way to a header of the same name. */
export function mergeHeaders(defaults: HeaderPairs, given: HeadersToSend = {}): [string, string][] {
  const named = new Set<string>()
  const pairs: [string, string][] = []
  const entries = isPairs(given) ? given : Object.entries(given)
  for (const [name, value] of entries) {
    named.add(name.toLowerCase())
    if (value === null) continue
    for (const one of typeof value === 'string' ? [value] : value) pairs.push([name, one])
  }
  return [...defaults.filter(([name]) => !named.has(name.toLowerCase())).map(pairOf), ...pairs]
}

/** Headers by lower-cased name; the values of repeated lines are joined by `, ` (RFC 9110, section 5.3). */
export function headerRecord(pairs: HeaderPairs): Record<string, string> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    record[key] = key in record ? `${record[key]}, ${value}` : value
  }
  return record
}

/** The text of a message's head, with the empty line that ends it. */
export function headText(startLine: string, pairs: HeaderPairs): string {
  return `${startLine}\r\n${pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

function isPairs(headers: HeadersToSend): headers is HeaderPairs {
  return Array.isArray(headers)
}

function pairOf([name, value]: readonly [string, string]): [string, string] {
  return [name, value]
}
