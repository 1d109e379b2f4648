/** One thing that every implementation of a contract does. For any test runner: `run` rejects where it does not. */
export interface ConformanceCase<T> {
  readonly name: string
  /** `make` gives an empty one, and may be called several times. */
  run(make: () => Promise<T>): Promise<void>
}
