import type { UpstreamResponse } from '@sluice/core/provider'

/** A vendor's response in memory. */
export interface VendorAnswer {
  /** Default: 200. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  /** The result of each read of the body. */
  readonly reads: Iterable<Uint8Array>
  /** The error that the body throws instead of ending. */
  readonly failure?: unknown
}

/** What a provider did with the body of a response. */
export interface BodyState {
  /** How many reads it took. */
  reads: number
  /** The reads have ended, or the provider has returned the iterator. */
  closed: boolean
}

/** A response in memory, which can be read once. */
export function vendorResponse({
  status = 200,
  headers,
  reads,
  failure,
}: VendorAnswer): UpstreamResponse & { readonly state: BodyState } {
  const state: BodyState = { reads: 0, closed: false }
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    try {
      for (const read of reads) {
        state.reads++
        yield read
      }
    } finally {
      state.closed = true
    }
    if (failure !== undefined) throw failure
  }
  const body = bytes()
  return {
    status,
    headers: new Headers(headers),
    body,
    state,
    async text() {
      const parts: Uint8Array[] = []
      for await (const part of body) parts.push(part)
      return Buffer.concat(parts).toString('utf8')
    },
  }
}

/** Returns the same response, with the complete body available with the head. */
export function arrivedResponse(answer: VendorAnswer): UpstreamResponse {
  const text = Buffer.concat([...answer.reads]).toString('utf8')
  return { ...vendorResponse(answer), bufferedText: () => text }
}
