/** One test of a conformance suite, for any test runner. */
export interface ConformanceCase<T> {
  readonly name: string
  /** Rejects if the implementation breaks the contract. `make` returns an empty one each time it is called. */
  run(make: () => Promise<T>): Promise<void>
}
