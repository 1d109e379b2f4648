/** Whose call it is. */
export interface Caller {
  /** A short digest of the principal: read only after a failure, because computing it takes time. */
  readonly digest: string
}

/** The caller of what has no principal. */
export const noCaller: Caller = { digest: '-' }
