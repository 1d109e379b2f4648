import { drive } from '../drive.ts'
import { figure, median, ratioOf } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, middleWithEmails, path, small, smallWithEmail } from '../questions.ts'
import type { Row } from '../row.ts'
import { Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'

const connections = 32

/** What hooks and the request log add to requests, and to a response: each against the same gateway without it. */
export async function measureHooks(plan: Plan): Promise<Row[]> {
  const { runtime, upstream, seconds, warmUp } = plan
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
    const bodies = [...new Set(measured.map(({ body }) => body))]
    const rounds = await inTurns(plan, [
      ...bodies.map(body => () => micros(none, body)),
      ...measured.map(
        ({ subject, body }) =>
          () =>
            micros(subject, body),
      ),
    ])
    return measured.map(({ what, body }, index) =>
      rowOf(
        what,
        rounds.map(round => [round[bodies.length + index]!, round[bodies.indexOf(body)]!]),
      ),
    )
  } finally {
    await Promise.all(all.map(subject => subject.stop()))
  }
}

function rowOf(what: string, values: readonly (readonly [number, number])[]): Row {
  const added = median(values.map(([with_, without]) => with_ - without))
  const ratios = values.map(([with_, without]) => with_ / without)
  return { id: 'hooks', what, figure: figure(added, 'us'), ratio: ratioOf(ratios), value: median(ratios) }
}
