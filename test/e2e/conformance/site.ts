import { type HeadersToSend, type RawExchange, type RequestParts, sendRawRequest } from '@sluice/testing'

/** Where a gateway is mounted. */
export interface Place {
  /** Ends with `/v1`. */
  readonly baseURL: string
  readonly origin: string
}

/** How a request differs from the usual one. */
export interface Asking extends Omit<RequestParts, 'body' | 'path' | 'headers'> {
  /** `null` sends none. Default `good-key`. */
  readonly key?: string | null
  /** Sent in place of the request's JSON. */
  readonly body?: Exclude<RequestParts['body'], undefined>
  readonly headers?: Readonly<Record<string, string | null>>
  /** Milliseconds for the whole exchange. Default 50,000, less than a test has: a busy machine may take long. */
  readonly timeout?: number
}

/** The conformance checklist's base request. */
export const base = { model: 'local', messages: [{ role: 'user', content: 'Hello!' }] }

/** A mounted gateway, asked by raw sockets: every header and byte is seen as it stands. */
export class Site {
  #place: Place | undefined

  settle(place: Place): void {
    this.#place = place
  }

  get place(): Place {
    if (this.#place === undefined) throw new Error('The gateway is not mounted yet.')
    return this.#place
  }

  get port(): number {
    return Number(new URL(this.place.baseURL).port)
  }

  /** The path of `/chat/completions` where the gateway is mounted. */
  pathOf(below: string): string {
    return new URL(this.place.baseURL).pathname + below
  }

  /** Asks for a completion: the base request with these fields in place of its own; `undefined` takes one out. */
  chat(fields: object = {}, asking: Asking = {}): Promise<RawExchange> {
    return this.send('/chat/completions', { method: 'POST', body: { ...base, ...fields }, ...asking })
  }

  get(below: string, asking: Asking = {}): Promise<RawExchange> {
    return this.send(below, { method: 'GET', ...asking })
  }

  /** A request to a path below the base, or from the root where it begins with `//`. */
  send(below: string, asking: Asking): Promise<RawExchange> {
    const { key: _, ...parts } = asking
    const path = below.startsWith('//') ? below.slice(1) : this.pathOf(below)
    return sendRawRequest({ port: this.port, path, timeout: 50_000, ...parts, headers: headersOf(asking) })
  }
}

/** The headers of a request, with its key. */
export function headersOf({ key = 'good-key', headers = {} }: Asking): HeadersToSend {
  return key === null ? headers : { authorization: `Bearer ${key}`, ...headers }
}
