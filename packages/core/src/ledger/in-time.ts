import { deadline } from '../deadline.ts'

/** What a function comes to, or a rejection that names `what` when that takes longer than `ms`. */
export function inTime<T>(what: string, run: () => Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeBack = deadline(ms, () =>
      reject(new Error(`${what} did not answer within ${ms} milliseconds.`)),
    )
    // Also what throws before it has a promise.
    void (async () => run())().then(resolve, reject).finally(takeBack)
  })
}
