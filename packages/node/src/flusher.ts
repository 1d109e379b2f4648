import { OutgoingMessage, type ServerResponse } from 'node:http'

/** A method that pushes out what was written so far. */
export type Flush = (this: ServerResponse) => void

const builtIn = (OutgoingMessage.prototype as { flush?: unknown }).flush

/** The `flush` that compressing middleware puts on a response. Node's own one is a deprecated other thing. */
export function flusherOf(res: ServerResponse): Flush | undefined {
  const { flush } = res as { flush?: unknown }
  return typeof flush === 'function' && flush !== builtIn ? (flush as Flush) : undefined
}
