import { type Driven, drive } from '../drive.ts'
import { figure, median, quantile, times } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { installPortkey } from '../portkey.ts'
import { asAnn, path, small } from '../questions.ts'
import { notMeasured, type Row } from '../row.ts'
import { Subject } from '../subject.ts'

/** What one server did with small requests; medians over all rounds. */
export interface Served {
  readonly name: string
  readonly cpuMicros: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** The same with one connection. */
  readonly p50Alone: number
  readonly p99Alone: number
  readonly peakMiB: number
}

/** What they are called where people read of them. The first one is what all others are compared with. */
export const servers: Readonly<Record<string, string>> = {
  'bare-buffered': 'bare proxy, buffered',
  'bare-pipe': 'bare proxy, piped',
  floor: 'asks nobody',
  'sluice-node': 'Sluice, Node http',
  'bare-express': 'bare proxy in Express 5',
  'sluice-express': 'Sluice, Express 5',
  'bare-koa': 'bare proxy in Koa 3',
  'sluice-koa': 'Sluice, Koa 3',
  portkey: 'Portkey gateway 1.15.2',
}

const connections = 32

/** Drives all servers, one after the other, in each round. */
export async function measureRequests(plan: Plan): Promise<{ served: Served[]; rows: Row[] }> {
  const subjects = await startAll(plan)
  const rounds = subjects.map(() => [] as Round[])
  try {
    for (const subject of subjects) await askAll(subject, connections, 0, plan.warmUp.small)
    for (let round = 0; round < plan.rounds; round++) {
      // Each round in another order, so that none always follows the same one.
      for (let at = 0; at < subjects.length; at++) {
        const turn = (at + round) % subjects.length
        rounds[turn]!.push(await roundOf(subjects[turn]!, plan.seconds))
      }
    }
    const served = await Promise.all(
      subjects.map(async (subject, at) => summary(subject.name, rounds[at]!, await subject.peakMiB())),
    )
    const byName = new Map(subjects.map(({ name }, at) => [name, rounds[at]!]))
    return { served, rows: rowsOf(byName, plan) }
  } finally {
    await Promise.all(subjects.map(subject => subject.stop()))
  }
}

async function startAll({ upstream, runtime, peers }: Plan): Promise<Subject[]> {
  const names = Object.keys(servers).filter(name => peers || name !== 'portkey')
  const further = peers ? { folder: installPortkey() } : undefined
  return Promise.all(
    names.map(name => Subject.start(name, upstream.url, runtime, name === 'portkey' ? further : undefined)),
  )
}

interface Round {
  readonly cpuMicros: number
  readonly perSecond: number
  readonly many: readonly number[]
  readonly alone: readonly number[]
}

async function roundOf(subject: Subject, seconds: number): Promise<Round> {
  const { cpuMicros, done } = await subject.during(() => askAll(subject, connections, seconds))
  const alone = await askAll(subject, 1, seconds / 2)
  return {
    cpuMicros: cpuMicros / done.requests,
    perSecond: done.requests / done.seconds,
    many: done.latencies,
    alone: alone.latencies,
  }
}

function askAll(subject: Subject, connections: number, seconds: number, atLeast = 0): Promise<Driven> {
  const headers = { ...asAnn, ...subject.headers }
  return drive({ port: subject.port, path, headers, body: small, connections, seconds, atLeast })
}

function summary(name: string, rounds: readonly Round[], peakMiB: number): Served {
  const over = (read: (round: Round) => number) => median(rounds.map(read))
  return {
    name,
    cpuMicros: over(({ cpuMicros }) => cpuMicros),
    perSecond: over(({ perSecond }) => perSecond),
    p50: over(({ many }) => median(many)),
    p99: over(({ many }) => quantile(many, 0.99)),
    p50Alone: over(({ alone }) => median(alone)),
    p99Alone: over(({ alone }) => quantile(alone, 0.99)),
    peakMiB,
  }
}

function rowsOf(rounds: ReadonlyMap<string, readonly Round[]>, { major, peers }: Plan): Row[] {
  const all = (name: string) => rounds.get(name) ?? []
  /** Round by round, so that what slows both is in neither. */
  const compared = (name: string, other: string, read: (one: Round, beside: Round) => number) =>
    median(all(name).map((round, at) => read(round, all(other)[at]!)))
  const cpu = (name: string, other: string) => ({
    figure: figure(median(all(name).map(({ cpuMicros }) => cpuMicros)), 'us'),
    ratio: compared(name, other, (one, beside) => one.cpuMicros / beside.cpuMicros),
  })
  const beside = (name: string, other: string, what: string): Row => {
    const { figure, ratio } = cpu(name, other)
    return { id: 'cpu', what, figure, ratio: times(ratio) }
  }
  const node = cpu('sluice-node', 'bare-buffered')
  const goal = major >= 24 ? 1.5 : 1.8
  const added = compared(
    'sluice-node',
    'bare-buffered',
    (one, beside) => median(one.alone) - median(beside.alone),
  )
  return [
    {
      id: 'cpu',
      what: 'CPU per request, whole pipeline, Node http, against the bare buffered proxy',
      figure: node.figure,
      ratio: times(node.ratio),
      goal: `<= ${goal} x`,
      met: node.ratio <= goal,
    },
    beside('sluice-express', 'bare-express', '- Express 5, against a bare proxy in Express'),
    beside('sluice-koa', 'bare-koa', '- Koa 3, against a bare proxy in Koa'),
    peers
      ? peersRow(
          compared('sluice-node', 'portkey', (one, beside) => one.perSecond / beside.perSecond),
          all('sluice-node'),
          all('portkey'),
        )
      : notMeasured('peers', perSecondWhat, '>= 10 x', '--peers'),
    {
      id: 'latency',
      what: 'latency added at the median, one connection, against the bare proxy',
      figure: figure(added, 'ms'),
      goal: '<= 0.15 ms',
      met: added <= 0.15,
    },
  ]
}

const perSecondWhat = 'requests per second against Portkey gateway 1.15.2, one core each'

function peersRow(ratio: number, ours: readonly Round[], theirs: readonly Round[]): Row {
  const perSecond = (rounds: readonly Round[]) => Math.round(median(rounds.map(round => round.perSecond)))
  return {
    id: 'peers',
    what: perSecondWhat,
    figure: `${perSecond(ours)}/s to ${perSecond(theirs)}/s`,
    ratio: times(ratio),
    goal: '>= 10 x',
    met: ratio >= 10,
  }
}
