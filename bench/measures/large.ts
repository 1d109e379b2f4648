import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { drive } from '../drive.ts'
import { figure, median, ratioOf } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, large, path } from '../questions.ts'
import type { Row } from '../row.ts'
import { type Runtime, Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'

/** Two at a time: enough to keep one core at work. */
const connections = 2

/** What a body of 1 MB costs, beside its `JSON.parse` and `JSON.stringify` in process on the same Node. */
export async function measureLarge(plan: Plan): Promise<Row[]> {
  const { runtime, upstream, seconds, warmUp } = plan
  const [bare, sluice] = (await Promise.all(
    ['bare-buffered', 'sluice-node'].map(name => Subject.start(name, upstream.url, runtime)),
  )) as [Subject, Subject]
  try {
    for (const subject of [bare, sluice]) await micros(subject, 0, warmUp.large)
    const rounds = await inTurns(plan, [
      () => jsonMicros(runtime, seconds),
      () => micros(bare, seconds),
      () => micros(sluice, seconds),
    ])
    const seen = rounds.map(([json, bare, sluice]) => ({ json: json!, bare: bare!, sluice: sluice! }))
    const ratios = seen.map(({ json, sluice }) => sluice / json)
    const bareRatios = seen.map(({ json, bare }) => bare / json)
    const ratio = median(ratios)
    const cost = (read: (round: (typeof seen)[number]) => number) =>
      figure(median(seen.map(read)) / 1_000, 'ms')
    return [
      {
        id: 'large',
        what: '1 MB request body: CPU against `JSON.parse` + `JSON.stringify` of it',
        figure: `${cost(({ sluice }) => sluice)} to ${cost(({ json }) => json)}`,
        ratio: ratioOf(ratios),
        value: ratio,
        goal: '<= 2 x',
        met: ratio <= 2,
      },
      {
        id: 'large',
        what: '- the bare buffered proxy, which parses nothing',
        figure: cost(({ bare }) => bare),
        ratio: ratioOf(bareRatios),
        value: median(bareRatios),
      },
    ]
  } finally {
    await Promise.all([bare.stop(), sluice.stop()])
  }
}

async function micros(subject: Subject, seconds: number, atLeast = 0): Promise<number> {
  const { port } = subject
  const load = { port, path, headers: asAnn, body: large, connections, seconds, atLeast }
  const { cpuMicros, done } = await subject.during(() => drive(load))
  return cpuMicros / done.requests
}

const program = fileURLToPath(new URL('../json-process.mjs', import.meta.url))

function jsonMicros({ pinned, node }: Runtime, seconds: number): number {
  const [command = '', ...args] = [...pinned, node, program, `${seconds}`]
  const { status, stdout, stderr } = spawnSync(command, args, { input: large, encoding: 'utf8' })
  if (status !== 0) throw new Error(`json-process.mjs ended with ${status}:\n${stderr}`)
  return Number(stdout)
}
