/** What a service has to do already. */
export interface LoadSnapshot {
  /**
   * How many requests are being answered, whatever they ask for; without the one that is decided on, and without those
   * whose body is being received.
   */
  readonly inFlight: number
}

/**
 * Whether there is room for one more: the reason to refuse it, for your log, or nothing. Asked for each chat completion
 * before anything is done for it, and again when a body has arrived that had to be waited for: so it has to be cheap, and
 * it cannot wait.
 *
 * Where it throws, or gives what is neither a text nor nothing, the request is let in, and a `warning` tells so once.
 */
export interface LoadShedder {
  (load: LoadSnapshot): string | undefined
  /** Frees what it holds. Told by a gateway that asks no more; another one may go on asking. */
  close?(): void
}
