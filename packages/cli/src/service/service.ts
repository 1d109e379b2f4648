import type { KeyStore, ManagedGateway } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import type { TypedConfig } from '../config/config.ts'

/** A configuration that serves. */
export interface Service {
  readonly gateway: ManagedGateway
  /** `http://127.0.0.1:8787`, without a trailing slash. */
  readonly url: string
  /** Where client libraries are pointed: the URL and the base. */
  readonly baseURL: string
  /** Where the page is; `undefined` where it is off. */
  readonly consoleURL: string | undefined
  /** Of the database; `undefined` where there is none. */
  readonly keys: KeyStore | undefined
  readonly usage: Database['usage'] | undefined
  /** Takes another configuration. Rejects with its faults, and then goes on as before. */
  reload(config: TypedConfig): Promise<void>
  /** Drains, stops and closes all that was opened. */
  close(): Promise<void>
}

/** Options of a command line that override the configuration. */
export interface ServiceOptions {
  readonly host?: string | undefined
  /** 0 takes a free one. */
  readonly port?: number | undefined
  /** Whether requests by foreign host names are refused, also where `server.allowedHosts` is not set. Default: no. */
  readonly checkHost?: boolean | undefined
}
