/** A change that a provider made to a parameter, because its vendor does not support it as it is. */
export interface Adjustment {
  /** The parameter's path in the caller's request: `seed`, `messages[2].name`. */
  readonly parameter: string
  /**
   * `dropped`: omitted. `mapped`: replaced by the vendor's closest equivalent. `defaulted`: added, because the vendor requires
   * it and the request has none.
   */
  readonly action: 'dropped' | 'mapped' | 'defaulted'
  /** What was sent instead, or why it was dropped, in a few words. It never holds content of messages. */
  readonly detail?: string
}
