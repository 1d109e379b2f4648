import type { Sent } from '../replaying.ts'

/** A stream of server-sent events with the vendor's own end where `end` is absent. */
export function sseOf(events: readonly string[], end?: Sent['end']): Sent {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    bytes: Buffer.from(events.join('')),
    ...(end === undefined ? {} : { end }),
  }
}
