import { createGateway, type EndEvent, type Gateway, type Target, type UpstreamError } from '@sluice/core'
import { type GatewayResponse, gatewayResponseKey } from '@sluice/core/adapter'
import type { TransportResponse } from '@sluice/core/provider'
import type { VendorAnswer } from './vendor-answers.ts'

// One for all: a native request costs more than all the rest.
const request = new Request('http://gateway.test/v1/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
})

/** How a caller asks. */
export interface Asking {
  readonly stream: boolean
  readonly includeUsage: boolean
  /** Further members of the request. */
  readonly rest: object
}

/** What the caller got, and what was recorded of it. */
export interface Told {
  readonly status: number
  readonly text: string
  readonly end: EndEvent
  readonly error: UpstreamError | undefined
}

/** A gateway in front of one vendor whose answers are given. */
export class AskedVendor {
  readonly #gateway: Gateway
  #answer: TransportResponse | undefined
  #ends: EndEvent[] = []

  constructor(target: Target) {
    let ids = 0
    this.#gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: () => [target],
      // Each answer is looked at by itself.
      retry: false,
      breaker: false,
      // The same ids for the same answer, however often it is asked for.
      generateId: () => String(ids++ % 4).padStart(32, '0'),
      now: () => 1_700_000_000_000,
      transport: async () => {
        if (this.#answer === undefined) throw new Error('The vendor was asked twice.')
        const answer = this.#answer
        this.#answer = undefined
        return answer
      },
      observe: event => {
        if (event.type === 'end') this.#ends.push(event)
      },
    })
  }

  /** Asks once. The vendor's bytes come in these pieces. Throws where there is not exactly one record of it. */
  async ask(asking: Asking, { status, type }: VendorAnswer, pieces: readonly Uint8Array[]): Promise<Told> {
    async function* body() {
      yield* pieces
    }
    const headers = new Map([['content-type', type]])
    this.#answer = { status, headers: { get: name => headers.get(name) ?? null }, body: body() }
    this.#ends = []
    const { stream, includeUsage, rest } = asking
    const options = stream && includeUsage ? { stream_options: { include_usage: true } } : {}
    const messages = [{ role: 'user', content: 'Hello' }]
    const value = { model: 'm', messages, stream, ...options, ...rest }
    const response = await this.#gateway.fetch(request, {
      body: { kind: 'parsed', value },
      plainResponses: true,
    })
    const { status: told, body: parts } = answerIn(response)
    let text = ''
    if (typeof parts === 'string') text = parts
    else for await (const part of parts) text += part
    const [end, ...more] = this.#ends
    if (end === undefined || more.length > 0) throw new Error(`got ${this.#ends.length} records, expected 1`)
    return { status: told, text, end, error: end.error as UpstreamError | undefined }
  }
}

function answerIn(response: Response): GatewayResponse {
  const answer = Reflect.get(response, gatewayResponseKey) as GatewayResponse | undefined
  if (answer === undefined) throw new Error('The response is no plain answer.')
  return answer
}
