import type { PrincipalId } from './principal.ts'

/** The bodies of a request as a database has them. Texts hold what every database can store. */
export interface StoredBodies {
  /** The request id. */
  readonly id: string
  /** When the request arrived, in whole milliseconds since 1970. */
  readonly at: number
  /** The id of the principal. */
  readonly principal: string
  readonly source: string | null
  /** Names the key that they are encrypted with. It says nothing about the key. */
  readonly keyId: string
  /** The encrypted bodies, as base64. */
  readonly sealed: string
}

/**
 * A table of encrypted bodies in a database. Each call is atomic and can be repeated: `createBodyLog` of `@sluice/log` writes a batch
 * again whose outcome it does not know.
 */
export interface BodyLogRepository {
  /** Stores rows. A row whose id is stored already is ignored. Resolves once they are stored. */
  insert(rows: readonly StoredBodies[]): Promise<void>
  /** Returns the row of a request id. */
  get(id: string): Promise<StoredBodies | undefined>
  /** Deletes all rows of requests that arrived before a time, and returns how many. */
  deleteBefore(at: number): Promise<number>
  /** Deletes all rows of a principal, and returns how many. A principal without a source: rows without one. */
  deletePrincipal(principal: PrincipalId): Promise<number>
}
