import type { Sent } from '../replaying.ts'

/** A whole answer of JSON. */
export function jsonOf(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Sent {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    bytes: Buffer.from(JSON.stringify(value)),
  }
}
