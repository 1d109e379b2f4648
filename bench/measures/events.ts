import { drive } from '../drive.ts'
import { figure, median, ratioOf } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { stop } from '../processes.ts'
import { asAnn, path, streamed } from '../questions.ts'
import type { Row } from '../row.ts'
import { Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'
import { startNodeUpstream } from '../upstream.ts'

/** Of each stream: its role, 199 words, its end, what was used, and the end mark. */
const events = 203
const body = streamed('Tell me a story of 199 words.')
const streams = 8

/** What an event costs that the vendor writes by itself, beside a pipe that looks at nothing. */
export async function measureEvents(plan: Plan): Promise<Row[]> {
  const { runtime, seconds, warmUp } = plan
  const vendor = await startNodeUpstream('events-process.mjs', `${events - 4}`)
  const subjects = await Promise.all(
    ['bare-pipe', 'sluice-node'].map(name => Subject.start(name, vendor.url, runtime)),
  )
  try {
    for (const subject of subjects) await eventMicros(subject, 0, warmUp.streams)
    const micros = await inTurns(
      plan,
      subjects.map(subject => () => eventMicros(subject, seconds)),
    )
    const ratios = micros.map(([pipe, sluice]) => sluice! / pipe!)
    const ratio = median(ratios)
    const cost = (at: number) => figure(median(micros.map(round => round[at]!)), 'us')
    return [
      {
        id: 'events',
        what: 'CPU per streamed event, normalised, against a pipe',
        figure: `${cost(1)} to ${cost(0)}`,
        ratio: ratioOf(ratios),
        value: ratio,
        goal: '<= 1.5 x',
        met: ratio <= 1.5,
      },
    ]
  } finally {
    await Promise.all([...subjects.map(subject => subject.stop()), stop(vendor.child)])
  }
}

async function eventMicros(subject: Subject, seconds: number, atLeast = 0): Promise<number> {
  const { port } = subject
  const load = { port, path, headers: asAnn, body, connections: streams, seconds, atLeast, check }
  const { cpuMicros, done } = await subject.during(() => drive(load))
  return cpuMicros / (done.requests * events)
}

/** Whether all events came; chunks' frames are overread, for events are not cut by them. */
function check(body: readonly Buffer[]): void {
  const text = Buffer.concat(body).toString('latin1')
  const got = text.split('data: ').length - 1
  if (got !== events) throw new Error(`a stream of ${events} events came as ${got}`)
  if (!text.includes('data: [DONE]')) throw new Error('a stream came without its end mark')
}
