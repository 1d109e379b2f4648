import { drive } from '../drive.ts'
import { figure, median, times } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, middleWithEmails, path, small, smallWithEmail } from '../questions.ts'
import type { Row } from '../row.ts'
import { Subject } from '../subject.ts'

const connections = 32

/** What hooks and the request log add to requests, and to a response: each against the same gateway without it. */
export async function measureHooks(plan: Plan): Promise<Row[]> {
  const { runtime, upstream, rounds, seconds, warmUp } = plan
  const start = (kind: string) => Subject.start('sluice-hooks', upstream.url, runtime, { kind })
  const [none, request, response, redacting, log] = (await Promise.all([
    Subject.start('sluice-node', upstream.url, runtime),
    ...['request', 'response', 'redact', 'log'].map(start),
  ])) as [Subject, Subject, Subject, Subject, Subject]
  const all = [none, request, response, redacting, log]
  const micros = async (subject: Subject, body: string, atLeast = 0) => {
    const load = { port: subject.port, path, headers: asAnn, body, connections, atLeast }
    const { cpuMicros, done } = await subject.during(() =>
      drive({ ...load, seconds: atLeast === 0 ? seconds : 0 }),
    )
    return cpuMicros / done.requests
  }
  const measured: readonly { readonly what: string; readonly subject: Subject; readonly body: string }[] = [
    { what: 'CPU that one request hook adds to a small request', subject: request, body: small },
    { what: 'CPU that one hook on the text of a response adds', subject: response, body: small },
    { what: 'CPU that `redact` adds to a small request', subject: redacting, body: smallWithEmail },
    { what: 'CPU that `redact` adds to a request of 100 kB', subject: redacting, body: middleWithEmails },
    { what: 'CPU that the request log adds, its writes to SQLite included', subject: log, body: small },
  ]
  try {
    for (const subject of all) await micros(subject, small, warmUp.small)
    for (const subject of [none, redacting]) await micros(subject, middleWithEmails, warmUp.large)
    const found = measured.map((): [number, number][] => [])
    for (let round = 0; round < rounds; round++) {
      const without = new Map<string, number>()
      for (const [index, { subject, body }] of measured.entries()) {
        if (!without.has(body)) without.set(body, await micros(none, body))
        found[index]!.push([await micros(subject, body), without.get(body)!])
      }
    }
    return measured.map(({ what }, index) => rowOf(what, found[index]!))
  } finally {
    await Promise.all(all.map(subject => subject.stop()))
  }
}

function rowOf(what: string, values: readonly (readonly [number, number])[]): Row {
  const added = median(values.map(([with_, without]) => with_ - without))
  const ratio = times(median(values.map(([with_, without]) => with_ / without)))
  return { id: 'hooks', what, figure: figure(added, 'us'), ratio }
}
