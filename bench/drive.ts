import { Connection, type Question } from './connection.ts'

/** What is asked, by how many at a time, and for how long. */
export interface Load extends Question {
  readonly connections: number
  readonly seconds: number
  /** Goes on beyond its time until there were so many requests; default: one of each connection. */
  readonly atLeast?: number
  /** Looks at each answer; throws where it is not what was expected. */
  readonly check?: (body: readonly Buffer[]) => void
}

/** What was seen of it. */
export interface Driven {
  readonly requests: number
  readonly seconds: number
  /** Milliseconds of each request, in no order. */
  readonly latencies: readonly number[]
}

/** Asks over kept connections, each of which asks anew as soon as it is answered. Rejects on any answer that is no 200. */
export async function drive(load: Load): Promise<Driven> {
  const latencies: number[] = []
  const began = performance.now()
  const until = began + load.seconds * 1_000
  await Promise.all(Array.from({ length: load.connections }, () => repeat(load, until, latencies)))
  return { requests: latencies.length, seconds: (performance.now() - began) / 1_000, latencies }
}

/** One connection: it asks until the time is over, and at least once. */
function repeat(load: Load, until: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = new Connection(load)
    let asked = 0
    const next = () => {
      asked = performance.now()
      connection.ask(answered, reject)
    }
    const answered = (body: readonly Buffer[]) => {
      const now = performance.now()
      latencies.push(now - asked)
      try {
        load.check?.(body)
      } catch (error) {
        connection.close()
        reject(error)
        return
      }
      if (now < until || latencies.length + load.connections <= (load.atLeast ?? 0)) return next()
      connection.close()
      resolve()
    }
    next()
  })
}
