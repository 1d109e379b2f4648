/** A response that was stored for the requests that continue it. */
export interface StoredResponse {
  readonly id: string
  /** Who may read it: a digest of the principal. Entries of different owners are separate, even under the same id. */
  readonly owner: string
  /** The ids of the items of its output, under which `findItem` finds it. */
  readonly itemIds: readonly string[]
  /** JSON text, which the store does not read. */
  readonly text: string
}

/**
 * Stores responses, until they expire, for requests that name them: `previous_response_id`, and `GET /responses/{id}`. Ids,
 * owners and texts are well-formed Unicode and not empty.
 *
 * What is read lives on for the time of life. A store returns exactly the text that was stored. It may evict any entry, but bounds what one owner has, so that the entries of
 * one owner never evict all of another. `responseStoreConformance` of `@sluice/testing/conformance` tests it.
 */
export interface ResponseStore {
  /**
   * Stores a response for the time of life that the store has, and replaces one of the same owner and id. Returns whether it is
   * stored: `false` for one that is too large for the store. One of the same owner and id is gone then, too.
   */
  put(response: StoredResponse): boolean | Promise<boolean>
  /** Returns the text of a response; `undefined` for one that is unknown, expired, deleted or of another owner. */
  get(owner: string, id: string): string | undefined | Promise<string | undefined>
  /** Returns the text of the response whose output has an item; `undefined` as for `get`. */
  findItem(owner: string, itemId: string): string | undefined | Promise<string | undefined>
  /** Deletes a response with its items. Returns whether there was one. */
  delete(owner: string, id: string): boolean | Promise<boolean>
  /** Deletes all responses of an owner, and returns how many there were. Default: they stay until they expire. */
  deleteOwner?(owner: string): number | Promise<number>
}
