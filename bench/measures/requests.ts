import { type Driven, drive } from '../drive.ts'
import { figure, median, quantile, ratioOf } from '../figures.ts'
import { installPortkey } from '../peers/portkey.ts'
import type { Plan } from '../plan.ts'
import { asAnn, path, small } from '../questions.ts'
import { notMeasured, type Row } from '../row.ts'
import { Subject } from '../subject.ts'
import { inTurns } from '../turns.ts'

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
  floor: 'hello world, Node http',
  'sluice-node': 'Sluice, Node http',
  'hello-express': 'hello world, Express 5',
  'bare-express': 'bare proxy in Express 5',
  'sluice-express': 'Sluice, Express 5',
  'hello-koa': 'hello world, Koa 3',
  'bare-koa': 'bare proxy in Koa 3',
  'sluice-koa': 'Sluice, Koa 3',
  portkey: 'Portkey gateway 1.15.2',
}

const connections = 32

/** Drives all servers, one after the other, in each round. */
export async function measureRequests(plan: Plan): Promise<{ served: Served[]; rows: Row[] }> {
  const early = await earlyRatios(plan)
  const subjects = await startAll(plan)
  try {
    for (const subject of subjects) await askAll(subject, connections, 0, plan.warmUp.small)
    const rounds = await inTurns(
      plan,
      subjects.map(subject => () => roundOf(subject, plan.seconds)),
    )
    const of = (at: number) => rounds.map(round => round[at]!)
    const served = await Promise.all(
      subjects.map(async (subject, at) => summary(subject.name, of(at), await subject.peakMiB())),
    )
    const byName = new Map(subjects.map(({ name }, at) => [name, of(at)]))
    return { served, rows: rowsOf(byName, early, plan) }
  } finally {
    await Promise.all(subjects.map(subject => subject.stop()))
  }
}

/** What a new process takes per request, once it has served a few, against a new bare proxy that has served as many. */
async function earlyRatios(plan: Plan): Promise<{ readonly ratio: number; readonly micros: number }[]> {
  const { upstream, runtime, earlyRequests, earlyRounds } = plan
  const micros = async (name: string) => {
    const subject = await Subject.start(name, upstream.url, runtime)
    try {
      await askAll(subject, connections, 0, earlyRequests)
      const { cpuMicros, done } = await subject.during(() => askAll(subject, connections, 0, earlyRequests))
      return cpuMicros / done.requests
    } finally {
      await subject.stop()
    }
  }
  const rounds = await inTurns({ ...plan, rounds: earlyRounds }, [
    () => micros('bare-buffered'),
    () => micros('sluice-node'),
  ])
  return rounds.map(([bare, sluice]) => ({ ratio: sluice! / bare!, micros: sluice! }))
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

function rowsOf(
  rounds: ReadonlyMap<string, readonly Round[]>,
  early: readonly { readonly ratio: number; readonly micros: number }[],
  { peers, earlyRequests }: Plan,
): Row[] {
  const all = (name: string) => rounds.get(name) ?? []
  const cpu = (name: string) => all(name).map(({ cpuMicros }) => cpuMicros)
  /** Round by round, so that what slows both is in neither. */
  const compared = (name: string, other: string, read: (one: Round, beside: Round) => number) =>
    all(name).map((round, at) => read(round, all(other)[at]!))
  const againstBare = compared(
    'sluice-node',
    'bare-buffered',
    (one, beside) => one.cpuMicros / beside.cpuMicros,
  )
  const earlyMedian = median(early.map(({ ratio }) => ratio))
  /** A host may add what it takes for a hello world, and a fifth of that. */
  const host = (name: string, title: string): Row => {
    const hello = compared(`hello-${name}`, 'floor', (one, beside) => one.cpuMicros - beside.cpuMicros)
    const allowed = cpu('sluice-node').map((micros, at) => micros + 1.2 * hello[at]!)
    const ratios = cpu(`sluice-${name}`).map((micros, at) => micros / allowed[at]!)
    return {
      id: 'cpu',
      what: `- in ${title}, against Node http and 1.2 x what ${title} adds to a hello world`,
      figure: `${figure(median(cpu(`sluice-${name}`)), 'us')} to ${figure(median(allowed), 'us')}`,
      ratio: ratioOf(ratios),
      value: median(ratios),
      goal: '<= 1 x',
      met: median(ratios) <= 1,
    }
  }
  const added = median(
    compared('sluice-node', 'bare-buffered', (one, beside) => median(one.alone) - median(beside.alone)),
  )
  return [
    {
      id: 'cpu',
      what: 'CPU per request, whole pipeline, Node http, steady state, against the bare buffered proxy',
      figure: figure(median(cpu('sluice-node')), 'us'),
      ratio: ratioOf(againstBare),
      value: median(againstBare),
      goal: '<= 1.4 x',
      met: median(againstBare) <= 1.4,
    },
    {
      id: 'cpu',
      what: `- warm-up: new processes after ${earlyRequests.toLocaleString('en')} requests`,
      figure: figure(median(early.map(({ micros }) => micros)), 'us'),
      ratio: ratioOf(early.map(({ ratio }) => ratio)),
      value: earlyMedian,
      goal: '<= 2 x',
      met: earlyMedian <= 2,
    },
    host('express', 'Express 5'),
    host('koa', 'Koa 3'),
    peers
      ? peersRow(
          compared('sluice-node', 'portkey', (one, beside) => one.perSecond / beside.perSecond),
          all('sluice-node'),
          all('portkey'),
        )
      : notMeasured('peers', perSecondWhat, '>= 6 x', '--peers'),
    {
      id: 'latency',
      what: 'latency added at the median, one connection, against the bare proxy',
      figure: figure(added, 'ms'),
      value: added,
      goal: '<= 0.15 ms',
      met: added <= 0.15,
    },
  ]
}

const perSecondWhat = 'requests per second against Portkey gateway 1.15.2, one core each'

function peersRow(ratios: readonly number[], ours: readonly Round[], theirs: readonly Round[]): Row {
  const perSecond = (rounds: readonly Round[]) => Math.round(median(rounds.map(round => round.perSecond)))
  return {
    id: 'peers',
    what: perSecondWhat,
    figure: `${perSecond(ours)}/s to ${perSecond(theirs)}/s`,
    ratio: ratioOf(ratios),
    value: median(ratios),
    goal: '>= 6 x',
    met: median(ratios) >= 6,
  }
}
