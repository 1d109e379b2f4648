import type { Observer } from '@sluice/core'

/** What state is opened in. */
export interface StateContext {
  /** Where relative paths begin. */
  readonly cwd: string
  /** Receives a message about each connection that fails, without secrets. */
  readonly log: (text: string) => void
  readonly observe?: Observer | undefined
}

export interface StateOptions {
  /** Leaves out what only a service that answers needs: Redis. Default: all is opened. */
  readonly only?: 'database'
  /** Whether a file that is not there is made; else there is no database. Default: yes. */
  readonly create?: boolean
  /** Whether the journal of the ledger is opened, which takes over what dead processes left. Default: no. */
  readonly journal?: boolean
  /** Whether an SQLite file of an older version is migrated; else it is an error. Default: yes. */
  readonly migrate?: boolean
}
