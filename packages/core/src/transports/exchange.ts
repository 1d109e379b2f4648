import type { EncodedNativeRequest } from '../contracts/provider.ts'
import type { Transport, TransportResponse } from '../contracts/transport.ts'

/** A request and its response, which can be cancelled without an `AbortSignal`: on Node 20, that costs more than the call. */
export interface Exchange {
  /** Read it once, at once: it is released when the head of the response has arrived. */
  readonly response: Promise<TransportResponse>
  /** Whether the request was sent on a connection. */
  readonly sent: boolean
  /** Closes the connection. The response, or each read of its body, rejects with the reason. */
  cut(reason: unknown): void
  /** Stops reading: drains the rest of the response, or closes the connection. */
  leave(): void
}

/** Starts an exchange. Never throws. `streamed`: its response may take long, so that nothing of the request is kept for it. */
export type Begin = (request: EncodedNativeRequest, streamed: boolean) => Exchange

const begins = new WeakMap<Transport, Begin>()

/** Registers the function of a built-in transport that starts exchanges. */
export function beginsBy(transport: Transport, begin: Begin): void {
  begins.set(transport, begin)
}

/** Returns the function of a transport that starts exchanges, if it has one. */
export function beginOf(transport: Transport): Begin | undefined {
  return begins.get(transport)
}
