import type { Transport, TransportResponse, UpstreamRequest } from '../contracts/transport.ts'

/**
 * A request on its way and its answer, which whoever began it cuts off by itself. A signal would do the same, but on
 * Node 20 it costs more than the call.
 */
export interface Exchange {
  readonly response: Promise<TransportResponse>
  /** Whether there was a connection by which the request was sent. */
  readonly sent: boolean
  /** Closes the connection; the response, or each read of its body, fails with the reason. */
  cut(reason: unknown): void
  /** Nobody reads on: what is left of the answer is read away, or its connection closed. */
  leave(): void
}

/** Begins an exchange. Never throws. */
export type Begin = (request: UpstreamRequest) => Exchange

const begins = new WeakMap<Transport, Begin>()

/** Notes how a transport of the gateway's own is asked without a signal. */
export function beginsBy(transport: Transport, begin: Begin): void {
  begins.set(transport, begin)
}

/** How a transport is asked without a signal, where it can be. */
export function beginOf(transport: Transport): Begin | undefined {
  return begins.get(transport)
}
