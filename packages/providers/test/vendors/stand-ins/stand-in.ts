import { type RecordedRequest, type Steps, startUpstream, type Upstream } from '@sluice/testing'
import { Fault } from './fault.ts'

/** A server on 127.0.0.1 that takes the place of a vendor. */
export interface StandIn {
  /** `http://127.0.0.1:port` */
  readonly url: string
  readonly requests: Upstream['requests']
  /** Why requests were refused, but for those that asked for it: what no provider should have sent. */
  readonly refused: readonly string[]
  close(): Promise<void>
}

/** What a vendor does with a request. */
export interface Vendor {
  /** Throws `Fault` where the vendor would refuse. */
  answer(request: RecordedRequest): Steps
  /** A fault as the vendor tells it. */
  refusal(fault: Fault, request: RecordedRequest): Steps
}

/** Starts a server that does what the vendor does. */
export async function startStandIn({ answer, refusal }: Vendor): Promise<StandIn> {
  const refused: string[] = []
  const upstream = await startUpstream(request => {
    try {
      return answer(request)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      refused.push(`${error.status} ${error.message}`)
      return refusal(error, request)
    }
  })
  return { url: upstream.url, requests: upstream.requests, refused, close: () => upstream.close() }
}

/** The body of a request that has to be a JSON object. */
export function jsonBody(request: RecordedRequest): Record<string, unknown> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new Fault('content-type: expected application/json', 415)
  }
  if (request.json === undefined) throw new Fault('The request body is not valid JSON')
  return request.json
}
