import type { DisconnectListener, DisconnectSource } from '../contracts/host.ts'
import type { EndReason } from '../errors/abort-reasons.ts'
import { disconnectSourceKey } from './adapter-keys.ts'

/** Called when a request is aborted. */
export type EndListener = (reason: EndReason) => void

/** Tracks whether a request is aborted: by the disconnect of its client, or by the gateway when it closes. */
export class Lifetime implements DisconnectListener {
  /** Set once the request is aborted. */
  ended: EndReason | undefined = undefined
  /** Its index in `RunningRequests`. */
  index = -1
  readonly #client: AbortSignal | DisconnectSource
  #aborted: (() => void) | undefined = undefined
  readonly #listeners: EndListener[] = []
  #controller: AbortController | undefined = undefined

  /** `client` reports the disconnect: see `disconnectSourceOf`. */
  constructor(client: AbortSignal | DisconnectSource) {
    this.#client = client
    if (isDisconnectSource(client)) {
      if (client.disconnected) this.ended = 'client_disconnected'
      else client.onDisconnect(this)
    } else if (client.aborted) {
      this.ended = 'client_disconnected'
    } else {
      this.#aborted = () => this.clientDisconnected()
      client.addEventListener('abort', this.#aborted, { once: true })
    }
  }

  /** Aborts with the request. Created on first use: most requests never need it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.ended !== undefined) this.#abort()
    }
    return this.#controller.signal
  }

  #abort(): void {
    this.#controller?.abort(signalOf(this.#client).reason)
  }

  /** Returns the lifetime of a part of the request, which ends with the request or before it. Release it. */
  part(): Lifetime {
    const part = new PartLifetime(this)
    this.onEnd(part.follow)
    return part
  }

  /** Calls `listener` when the request is aborted, or at once if it already is. */
  onEnd(listener: EndListener): void {
    if (this.ended !== undefined) listener(this.ended)
    else this.#listeners.push(listener)
  }

  /** Removes a listener. */
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
    // Not a listener: one before it may release the lifetime.
    this.#abort()
    // A listener may remove another one.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next(reason)
  }

  /** Removes all listeners, once the response has ended. */
  release(): void {
    this.#listeners.length = 0
    this.detach()
  }

  /** Lives on without the client, whose disconnect no longer ends it. */
  detach(): void {
    if (isDisconnectSource(this.#client)) this.#client.offDisconnect(this)
    else if (this.#aborted !== undefined) this.#client.removeEventListener('abort', this.#aborted)
  }
}

/** The lifetime of a part of a request. */
class PartLifetime extends Lifetime {
  readonly follow = (reason: EndReason) => this.end(reason)
  readonly #whole: Lifetime

  constructor(whole: Lifetime) {
    super(new AbortController().signal)
    this.#whole = whole
  }

  override release(): void {
    this.#whole.offEnd(this.follow)
    super.release()
  }
}

/** Returns what reports the disconnect of the client: the `DisconnectSource` of the adapter, or the signal of the request. */
export function disconnectSourceOf(request: Request): AbortSignal | DisconnectSource {
  const source = (request as { readonly [disconnectSourceKey]?: DisconnectSource | undefined })[
    disconnectSourceKey
  ]
  // A wrapper around the request may have its own signal.
  return source !== undefined && (source as unknown) === request ? source : request.signal
}

function isDisconnectSource(client: AbortSignal | DisconnectSource): client is DisconnectSource {
  return 'onDisconnect' in client
}

function signalOf(client: AbortSignal | DisconnectSource): AbortSignal {
  return isDisconnectSource(client) ? client.signal : client
}
