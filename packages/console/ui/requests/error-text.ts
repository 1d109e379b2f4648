import { reasonText } from '../routes/target-labels.ts'

/** Words of the server for failures of a provider; all others are codes that a client was told, too. */
const ofProvider: ReadonlySet<string> = new Set([
  'unreachable',
  'connect_timeout',
  'first_byte_timeout',
  'idle_timeout',
  'total_timeout',
  'truncated',
  'garbled',
])

/** What went wrong, in words: `refused` is that of a provider, with the status that it answered. */
export function errorText(error: string, status?: number): string {
  if (error === 'refused') return reasonText(status === undefined ? error : `http_${status}`)
  if (ofProvider.has(error)) return reasonText(error)
  return status === undefined ? error : `${error}, ${status}`
}
