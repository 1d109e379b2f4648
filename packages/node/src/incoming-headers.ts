import type { IncomingMessage } from 'node:http'
import { defineLazyProxy } from './lazy-proxy-class.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** What the gateway looks for in each request, most often in vain. */
function isCommonHeader(name: string): boolean {
  return name === 'content-encoding' || name === 'idempotency-key' || name === 'cache-control'
}

class IncomingHeaders {
  readonly #incoming: IncomingMessage
  #native: Headers | undefined = undefined

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
  }

  get(name: string): string | null {
    if (this.#native === undefined) {
      const value = this.#incoming.headers[`${name}`.toLowerCase()]
      if (typeof value === 'string') return value
      if (value === undefined && (isCommonHeader(name) || token.test(name))) return null
    }
    return this.#real().get(name)
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return Object.fromEntries(this.#real())
  }

  #real(): Headers {
    if (this.#native !== undefined) return this.#native
    const native = new Headers()
    for (const [name, value] of Object.entries(this.#incoming.headers)) {
      // Names with a colon in front are HTTP/2's own, not headers.
      if (name.charCodeAt(0) === 58 || value === undefined) continue
      if (typeof value === 'string') native.append(name, value)
      else for (const one of value) native.append(name, one)
    }
    this.#native = native
    return native
  }

  static {
    defineLazyProxy(IncomingHeaders.prototype, Headers.prototype, new Headers(), headers => headers.#real())
  }
}

/**
 * Returns the headers of a node request as `Headers`. `get` and `has` read those of the node request; any other method
 * creates a native copy. Repeated headers are joined as Node joins them.
 */
export function incomingHeaders(incoming: IncomingMessage): Headers {
  return new IncomingHeaders(incoming) as unknown as Headers
}
