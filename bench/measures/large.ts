import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { drive } from '../drive.ts'
import { figure, median, times } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { asAnn, large, path } from '../questions.ts'
import type { Row } from '../row.ts'
import { type Runtime, Subject } from '../subject.ts'

/** Two at a time: enough to keep one core at work. */
const connections = 2

/** What a body of 1 MB costs, beside its `JSON.parse` and `JSON.stringify` in process on the same Node. */
export async function measureLarge({ runtime, upstream, rounds, seconds, warmUp }: Plan): Promise<Row[]> {
  const [bare, sluice] = (await Promise.all(
    ['bare-buffered', 'sluice-node'].map(name => Subject.start(name, upstream.url, runtime)),
  )) as [Subject, Subject]
  try {
    for (const subject of [bare, sluice]) await micros(subject, 0, warmUp.large)
    const seen: { readonly json: number; readonly bare: number; readonly sluice: number }[] = []
    for (let round = 0; round < rounds; round++) {
      seen.push({
        json: jsonMicros(runtime, seconds),
        bare: await micros(bare, seconds),
        sluice: await micros(sluice, seconds),
      })
    }
    const ratio = median(seen.map(({ json, sluice }) => sluice / json))
    const cost = (read: (round: (typeof seen)[number]) => number) =>
      figure(median(seen.map(read)) / 1_000, 'ms')
    return [
      {
        id: 'large',
        what: '1 MB request body: CPU against `JSON.parse` + `JSON.stringify` of it',
        figure: `${cost(({ sluice }) => sluice)} to ${cost(({ json }) => json)}`,
        ratio: times(ratio),
        goal: '<= 2 x',
        met: ratio <= 2,
      },
      {
        id: 'large',
        what: '- the bare buffered proxy, which parses nothing',
        figure: cost(({ bare }) => bare),
        ratio: times(median(seen.map(({ json, bare }) => bare / json))),
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
