import type { Server } from 'node:http'
import type { ListenerOptions } from './listener.ts'

/** Where a server listens, and when it stops. */
export interface ServeOptions extends ListenerOptions {
  /** Port to listen on; 0 for any free one. Default 8787. */
  readonly port?: number | undefined
  /** Address to listen on. Default `127.0.0.1`: this machine only. */
  readonly host?: string | undefined
  /** Whether SIGTERM and SIGINT stop the server. Default `true`. */
  readonly signals?: boolean | undefined
  /** How long running requests may take to finish after a signal, in milliseconds. Default 30,000. */
  readonly drainMs?: number | undefined
  /**
   * How long the server goes on accepting requests after a signal, in milliseconds, while `ready` is `false` already: time for a load
   * balancer to notice. `drainMs` begins after it. Default 0.
   */
  readonly shutdownDelayMs?: number | undefined
}

/** A running HTTP server of a gateway: the result of `serve`. */
export interface Serving {
  readonly server: Server
  readonly port: number
  /** `http://127.0.0.1:8787`, without a trailing slash. */
  readonly url: string
  /** Whether it accepts requests: `false` once it begins to stop. For a readiness probe. */
  readonly ready: boolean
  /**
   * Stops the server. It accepts no new connections, rejects requests on open ones with 503, lets running requests finish
   * for `drainMs` milliseconds (default 30,000), and then aborts them. Responses that begin meanwhile have `connection:
   * close`; idle connections are closed after 200 ms, because a request may be on its way.
   *
   * Resolves when the last connection is closed, at most a second after `drainMs`. Of several calls the shortest `drainMs` counts.
   * With `delayMs` (default 0) it goes on for that long first, and is not `ready` meanwhile. A call without it ends the delay.
   * With `answersOpen` it goes on answering the requests of open connections, the last one of each, and `drainMs` is unlimited by
   * default: for a port that another process serves already. A call without it rejects them from then on.
   *
   * Rejects with `ConfigurationError` for an invalid `drainMs` or `delayMs`, and the server continues.
   */
  close(options?: {
    readonly drainMs?: number
    readonly delayMs?: number
    readonly answersOpen?: boolean
  }): Promise<void>
}
