import { drive } from '../drive.ts'
import { figure, median, times } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, path, small } from '../questions.ts'
import type { Row } from '../row.ts'
import { Subject } from '../subject.ts'

const connections = 32

/** What hooks and the request log add to small requests, and to a stream: each against the same gateway without it. */
export async function measureHooks(plan: Plan): Promise<Row[]> {
  const { runtime, upstream, rounds, seconds, warmUp } = plan
  const start = (kind: string) => Subject.start('sluice-hooks', upstream.url, runtime, { kind })
  const [none, request, response, log] = (await Promise.all([
    Subject.start('sluice-node', upstream.url, runtime),
    start('request'),
    start('response'),
    start('log'),
  ])) as [Subject, Subject, Subject, Subject]
  const all = [none, request, response, log]
  const micros = async (subject: Subject, body: string, atLeast = 0) => {
    const load = { port: subject.port, path, headers: asAnn, body, connections, atLeast }
    const { cpuMicros, done } = await subject.during(() =>
      drive({ ...load, seconds: atLeast === 0 ? seconds : 0 }),
    )
    return cpuMicros / done.requests
  }
  const rowOf = (what: string, values: readonly (readonly [number, number])[], goalUs?: number): Row => {
    const added = median(values.map(([with_, without]) => with_ - without))
    const ratio = times(median(values.map(([with_, without]) => with_ / without)))
    const row = { id: 'hooks', what, figure: figure(added, 'us'), ratio } as const
    return goalUs === undefined ? row : { ...row, goal: `<= ${goalUs} us`, met: added <= goalUs }
  }
  try {
    for (const subject of all) await micros(subject, small, warmUp.small)
    const found = { request: [], response: [], log: [] } as Record<string, [number, number][]>
    for (let round = 0; round < rounds; round++) {
      const without = await micros(none, small)
      found.request!.push([await micros(request, small), without])
      found.response!.push([await micros(response, small), without])
      found.log!.push([await micros(log, small), without])
    }
    return [
      rowOf('CPU that one request hook adds to a small request', found.request!),
      rowOf('CPU that one hook on the text of a response adds', found.response!),
      rowOf('CPU that the request log adds, its writes to SQLite included', found.log!),
    ]
  } finally {
    await Promise.all(all.map(subject => subject.stop()))
  }
}
