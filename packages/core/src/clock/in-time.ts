import { deadline } from './deadline.ts'

/** What a function comes to, or a rejection that says `late` when that takes longer than `ms` milliseconds. */
export function inTime<T>(run: () => T | Promise<T>, ms: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeBack = deadline(ms, () => reject(new Error(late)))
    // Also what throws before it has a promise.
    void (async () => run())().then(resolve, reject).finally(takeBack)
  })
}
