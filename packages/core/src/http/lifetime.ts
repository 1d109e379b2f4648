import type { DisconnectListener, DisconnectSource } from '../contracts/host.ts'
import type { EndReason } from '../errors/abort-reasons.ts'
import { disconnectSourceKey } from './adapter-keys.ts'

/** What to do when a life ends. */
export type EndListener = (reason: EndReason) => void

/** One request's life, from outside: it ends when the client leaves or the gateway closes. */
export class Lifetime implements DisconnectListener {
  /** Set once the life has ended. */
  ended: EndReason | undefined = undefined
  /** Its place among those that run: see `RunningRequests`. */
  place = -1
  readonly #client: AbortSignal | DisconnectSource
  #aborted: (() => void) | undefined = undefined
  readonly #listeners: EndListener[] = []
  #ending: AbortController | undefined = undefined

  /** `client` tells when it leaves: see `leavingOf`. */
  constructor(client: AbortSignal | DisconnectSource) {
    this.#client = client
    if (isLeaving(client)) {
      if (client.disconnected) this.ended = 'client_disconnected'
      else client.onDisconnect(this)
    } else if (client.aborted) {
      this.ended = 'client_disconnected'
    } else {
      this.#aborted = () => this.clientDisconnected()
      client.addEventListener('abort', this.#aborted, { once: true })
    }
  }

  /** Aborts when the life ends. Made when it is first asked for: most requests never need it. */
  get ending(): AbortSignal {
    if (this.#ending === undefined) {
      const ending = new AbortController()
      this.#ending = ending
      this.onEnd(() => ending.abort(signalOf(this.#client).reason))
    }
    return this.#ending.signal
  }

  /** Does something when the life ends; at once where it has ended. */
  onEnd(listener: EndListener): void {
    if (this.ended !== undefined) listener(this.ended)
    else this.#listeners.push(listener)
  }

  /** Takes back `onEnd`. */
  offEnd(listener: EndListener): void {
    const at = this.#listeners.indexOf(listener)
    if (at !== -1) this.#listeners.splice(at, 1)
  }

  clientDisconnected(): void {
    this.end('client_disconnected')
  }

  end(reason: EndReason): void {
    if (this.ended !== undefined) return
    this.ended = reason
    // One of them may take back another one.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next(reason)
  }

  /** The answer has ended: nothing is listened to any more. */
  release(): void {
    this.#listeners.length = 0
    if (isLeaving(this.#client)) this.#client.offDisconnect(this)
    else if (this.#aborted !== undefined) this.#client.removeEventListener('abort', this.#aborted)
  }
}

/** What tells that the client of a request has left: its signal, or what its adapter has in the place of one. */
export function leavingOf(request: Request): AbortSignal | DisconnectSource {
  const leaving = (request as { readonly [disconnectSourceKey]?: DisconnectSource | undefined })[
    disconnectSourceKey
  ]
  // What wraps a request may have a signal of its own.
  return leaving !== undefined && (leaving as unknown) === request ? leaving : request.signal
}

function isLeaving(client: AbortSignal | DisconnectSource): client is DisconnectSource {
  return 'onDisconnect' in client
}

function signalOf(client: AbortSignal | DisconnectSource): AbortSignal {
  return isLeaving(client) ? client.signal : client
}
