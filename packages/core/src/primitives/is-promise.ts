/** Returns whether a value is a promise, including those of another realm or library. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Avoids an unhandled rejection if the value is a promise. */
export function ignoreRejection(value: unknown): void {
  if (typeof value === 'object' && value !== null) void Promise.resolve(value).catch(() => {})
}
