import type { Figure } from '../../soak/figures.ts'
import type { Asked, RoutingLogs } from './routing-log.ts'
import { isOutage, type Spell } from './weather.ts'

/** The figures of a run, each beside its goal. */
export function routingFigures(logs: RoutingLogs): Figure[] {
  return [...successFigures(logs), ...outageFigures(logs), recoveryFigure(logs), ...soundness(logs)]
}

function successFigures({ throughGateway, alone }: RoutingLogs): Figure[] {
  const rate = successRate(throughGateway)
  const best = Math.max(...alone.map(successRate))
  return [
    ...alone.map((asked, at) => ({
      promise: '',
      what: `requests that upstream ${at} answered well, asked alone (${asked.length})`,
      got: percent(successRate(asked)),
      goal: '-',
      met: undefined,
    })),
    {
      promise: '',
      what: `requests that the gateway answered well (${throughGateway.length})`,
      got: percent(rate),
      goal: `>= ${percent(best)}, the best of them`,
      met: rate >= best,
    },
  ]
}

/** How answers ended while some upstream was well all along, from the worst on. */
export function endsOutsideOutages({ spells, startedAt, throughGateway }: RoutingLogs): string[] {
  const fair = spells.filter(spell => spell.moods.includes('well'))
  const counts = new Map<string, number>()
  let all = 0
  for (const { at, ms, status, end } of throughGateway) {
    if (!fair.some(spell => covers(spell, at - startedAt) && covers(spell, at + ms - startedAt))) continue
    all++
    const what = 'code' in end ? `${status} ${end.how}: ${end.code}` : `${status} ${end.how}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([what, count]) => `${percent(count / all).padStart(8)}  ${what} (${count})`)
}

/** While no upstream gives an answer: how often each is asked, and how fast callers hear of it. */
function outageFigures({ spells, startedAt, ends, throughGateway }: RoutingLogs): Figure[] {
  const outages = spells.filter(isOutage)
  if (outages.length === 0) return []
  const within = (moment: number) => outages.some(spell => covers(spell, moment - startedAt))
  const asked = ends.filter(({ at, event }) => within(at - event.timings.total) && within(at))
  const requests = asked.length
  const calls = [0, 1, 2].map(upstream =>
    asked.reduce(
      (sum, { event }) =>
        sum + event.attempts.filter(({ provider, called }) => called && provider === `up${upstream}`).length,
      0,
    ),
  )
  const most = Math.max(...calls)
  const allowed = 1.2 * requests + 3 * outages.length
  const blocked = asked.filter(({ event }) => event.attempts.length === 0)
  const told = throughGateway.filter(({ at, status }) => within(at) && status === 503).map(({ ms }) => ms)
  const overhead = blocked.map(({ event }) => event.timings.total)
  return [
    {
      promise: 'F59',
      what: `calls to the most asked upstream in ${outages.length} outages (${requests} requests; all: ${calls.join(', ')})`,
      got: `${most}, ${(most / requests).toFixed(2)} of a call for each`,
      goal: `<= 1.2 x + 3 an outage = ${Math.floor(allowed)}`,
      met: most <= allowed,
    },
    {
      promise: 'F61',
      what: `milliseconds to a 503 without a call (${blocked.length}): p50, p99`,
      got: `${percentile(overhead, 0.5).toFixed(1)}, ${percentile(overhead, 0.99).toFixed(1)}`,
      goal: 'p50 < 5',
      met: percentile(overhead, 0.5) < 5,
    },
    {
      promise: '',
      what: `milliseconds to a 503 as the client sees it (${told.length}): p50, p99`,
      got: `${percentile(told, 0.5).toFixed(1)}, ${percentile(told, 0.99).toFixed(1)}`,
      goal: '-',
      met: undefined,
    },
  ]
}

/** How soon an upstream that may be asked again is asked: there is a request every few milliseconds. */
const recoveryMs = 1_000

/** From the end of an outage, or the moment at which it may be asked again, to an upstream's first good answer. */
function recoveryFigure({ spells, startedAt, answered, leftAlone }: RoutingLogs): Figure {
  const late: number[] = []
  for (const [index, spell] of spells.entries()) {
    const next = spells[index + 1]
    if (!isOutage(spell) || next === undefined || next.moods.some(mood => mood !== 'well')) continue
    const healed = startedAt + spell.to
    for (const [upstream, answers] of answered.entries()) {
      const last = leftAlone.findLast(told => told.upstream === upstream && told.at < healed + 50)
      const due = Math.max(healed, last === undefined ? healed : last.at + last.waitMs)
      // All may be over before it can be seen.
      if (due + recoveryMs > startedAt + next.to) continue
      const first = answers.find(at => at >= healed)
      late.push(first === undefined ? Number.POSITIVE_INFINITY : first - due)
    }
  }
  const worst = Math.max(0, ...late)
  return {
    promise: 'N7',
    what: `milliseconds from when an upstream that is well again may be asked to its first good answer, at most (${late.length} times)`,
    got: worst.toFixed(0),
    goal: `<= ${recoveryMs}`,
    met: worst <= recoveryMs,
  }
}

function soundness({ throughGateway, alarms, ends }: RoutingLogs): Figure[] {
  const unsound = throughGateway.filter(({ end }) => end.how === 'unsound' || end.how === 'cut')
  const unanswered = throughGateway.filter(({ end }) => end.how === 'unanswered')
  const over = ends.filter(({ event }) => event.attempts.filter(({ called }) => called).length > 3)
  const none = (promise: string, what: string, count: number): Figure => {
    return { promise, what, got: `${count}`, goal: '0', met: count === 0 }
  }
  return [
    none('P9', 'answers that did not finish and look finished, or were cut without a word', unsound.length),
    none('', 'requests without an answer', unanswered.length),
    none('P4', 'requests with more than three calls', over.length),
    none('P6', 'requests without exactly one record', Math.abs(throughGateway.length - ends.length)),
    none('P10', 'uncaught exceptions, unhandled rejections, internal errors', alarms.length),
  ]
}

function covers({ from, to }: Spell, moment: number): boolean {
  return moment >= from && moment < to
}

function successRate(asked: readonly Asked[]): number {
  return asked.filter(({ end }) => end.how === 'done').length / asked.length
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
