import type { ChildProcess } from 'node:child_process'
import { createConnection } from 'node:net'
import { bytesOf } from '../connection.ts'
import { figure, median, quantile } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { stop } from '../processes.ts'
import { asAnn, path, streamed } from '../questions.ts'
import type { Row } from '../row.ts'
import { Subject } from '../subject.ts'
import { startNodeUpstream } from '../upstream.ts'

/** As many leave at once. */
const crowd = 20

/** How long after a client left its stream the vendor's connection is closed. */
export async function measureAborts({ aborts, runtime }: Plan): Promise<Row[]> {
  const vendor = await startNodeUpstream('events-process.mjs', '199')
  const sluice = await Subject.start('sluice-node', vendor.url, runtime)
  try {
    const closed = new Closings(vendor.child)
    const millis: number[] = []
    for (let abort = 0; abort < aborts; abort += crowd) {
      const numbers = Array.from({ length: Math.min(crowd, aborts - abort) }, (_, at) => abort + at)
      millis.push(...(await Promise.all(numbers.map(number => abortOne(sluice.port, number, closed)))))
    }
    const p50 = median(millis)
    const p99 = quantile(millis, 0.99)
    return [
      {
        id: 'abort',
        what: `abort reaches the upstream, over ${aborts} streams`,
        figure: `p50 ${figure(p50, 'ms')}, p99 ${figure(p99, 'ms')}`,
        value: p50,
        goal: 'p50 <= 10 ms, p99 <= 100 ms',
        met: p50 <= 10 && p99 <= 100,
      },
    ]
  } finally {
    await Promise.all([sluice.stop(), stop(vendor.child)])
  }
}

/** When the vendor's connections were closed, in nanoseconds of the clock that all processes share. */
class Closings {
  readonly #waiting = new Map<number, (at: bigint) => void>()

  constructor(vendor: ChildProcess) {
    vendor.on('message', ({ abort, closed }: { abort: number; closed: string }) =>
      this.#waiting.get(abort)?.(BigInt(closed)),
    )
  }

  of(abort: number): Promise<bigint> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('an abort did not reach the upstream in 10 s')), 10_000)
      this.#waiting.set(abort, at => {
        clearTimeout(timer)
        resolve(at)
      })
    })
  }
}

/** Leaves a stream after its first word. */
async function abortOne(port: number, number: number, closings: Closings): Promise<number> {
  const closed = closings.of(number)
  const [left, seen] = await Promise.all([leave(port, number), closed])
  return Number(seen - left) / 1e6
}

function leave(port: number, number: number): Promise<bigint> {
  const message = bytesOf({ port, path, headers: asAnn, body: streamed(`abort-${number}`) })
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(message))
    socket.once('error', reject)
    socket.on('data', bytes => {
      if (!bytes.includes('"content":" word')) return
      const now = process.hrtime.bigint()
      socket.destroy()
      resolve(now)
    })
  })
}
