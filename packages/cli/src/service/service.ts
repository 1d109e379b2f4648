import type { KeyStore, ManagedGateway } from '@sluice/core'
import type { Database, ProcessGroup } from '@sluice/core/store'
import type { StopRequest } from '@sluice/node/adapter'
import type { TypedConfig } from '../config/config.ts'

/** A running service: the gateway of a configuration, its HTTP server, and its state. */
export interface Service {
  readonly gateway: ManagedGateway
  /** `http://127.0.0.1:8787`, without a trailing slash. */
  readonly url: string
  /** The base URL for client libraries: `url` with the `basePath`. */
  readonly baseURL: string
  /** The URL of the web console; `undefined` if it is off. */
  readonly consoleURL: string | undefined
  /** Where responses are stored and for how long, in words: `stored in memory for 1 hour`. */
  readonly responseStorage: string
  /** Which bodies of requests are stored and for how long, in words; `undefined`: none. */
  readonly bodyStorage: string | undefined
  /** The keys of the database; `undefined` without one. */
  readonly keys: KeyStore | undefined
  /** Sums the usage in the ledger; `undefined` without a database. */
  readonly usage: Database['usage'] | undefined
  /** Whether it accepts new connections. */
  readonly isListening: boolean
  /** Replaces the configuration. Rejects with `InvalidConfigError` for an invalid one, and keeps the current one. */
  reload(config: TypedConfig): Promise<void>
  /**
   * Stops the service: running requests may finish, then everything that it opened is closed. Default: within the times of the
   * configuration. Of several calls the shortest times count.
   */
  close(request?: StopRequest): Promise<void>
}

/** Options of the command line, which override the configuration. */
export interface ServiceOptions {
  readonly host?: string | undefined
  /** 0 for any free port. */
  readonly port?: number | undefined
  /** Whether to reject requests with unknown host names even if `server.allowedHosts` is not set. Default: no. */
  readonly checkHost?: boolean | undefined
  /** The workers that the service is one of. Default: none, it is alone. */
  readonly group?: ProcessGroup | undefined
}
