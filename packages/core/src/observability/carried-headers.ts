import type { UpstreamRequest } from '../contracts/transport.ts'

type HeaderRecord = UpstreamRequest['headers']

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const text = /^[\t\x20-\x7e\x80-\xff]*$/

/** What says how a message is framed, and to whom it goes: a transport's own. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * A provider's headers and those that are added to them. What the provider has written stays as it is. `refused` is told
 * the name of each that a transport could not send, or that is the transport's own.
 */
export function carriedHeaders(
  own: HeaderRecord,
  added: Readonly<Record<string, unknown>>,
  refused: (name: string) => void,
): HeaderRecord {
  const carried: Record<string, string> = { ...own }
  const taken = new Set(Object.keys(own).map(name => name.toLowerCase()))
  for (const [name, value] of Object.entries(added)) {
    const known = name.toLowerCase()
    if (taken.has(known)) continue
    if (!token.test(name) || typeof value !== 'string' || !text.test(value) || framing.has(known)) {
      refused(name)
      continue
    }
    taken.add(known)
    // Not assigned: `__proto__` is a token too.
    Object.defineProperty(carried, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return carried
}
