/** Lets callers wait until a probe finds something. Whoever changes what probes look at calls `changed`. */
export interface Watcher {
  changed(): void
  /**
   * Resolves with the probe's first value that is not undefined. Rejects after `timeout` milliseconds, or when the
   * watcher is closed, with what `problem` says. A promise that nobody awaits raises no unhandled rejection.
   */
  until<T>(probe: () => T | undefined, problem: () => string, timeout: number): Promise<T>
  /** The same for a condition. */
  met(condition: () => boolean, problem: () => string, timeout: number): Promise<void>
  /** Rejects all who wait. */
  close(): void
}

export function watcher(): Watcher {
  const probes = new Set<() => void>()
  const failures = new Set<(ended: string) => void>()
  const self: Watcher = {
    changed() {
      for (const probe of [...probes]) probe()
    },
    until(probe, problem, timeout) {
      const found = probe()
      if (found !== undefined) return Promise.resolve(found)
      const promise = new Promise<NonNullable<ReturnType<typeof probe>>>((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer)
          probes.delete(check)
          failures.delete(fail)
        }
        const check = () => {
          const value = probe()
          if (value === undefined) return
          settle()
          resolve(value as NonNullable<typeof value>)
        }
        const fail = (ended: string) => {
          settle()
          reject(new Error(`${problem()} ${ended}`))
        }
        const timer = setTimeout(fail, timeout, `within ${timeout} ms`)
        probes.add(check)
        failures.add(fail)
      })
      promise.catch(() => {})
      return promise
    },
    met(condition, problem, timeout) {
      const promise = self.until(() => condition() || undefined, problem, timeout).then(() => {})
      promise.catch(() => {})
      return promise
    },
    close() {
      for (const fail of [...failures]) fail('before it was closed')
    },
  }
  return self
}
