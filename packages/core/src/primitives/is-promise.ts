/** Also of a promise of another realm or library. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Of a promise nobody waits for, nobody hears that it fails. */
export function ignoreRejection(value: unknown): void {
  if (typeof value === 'object' && value !== null) void Promise.resolve(value).catch(() => {})
}
