import type { ProcessGroup } from '@sluice/core/store'
import type { RequestDetail, RequestRow, TargetChange } from './api.ts'
import type { LiveHub } from './live/live-hub.ts'
import { type BudgetLog, type BudgetsSnapshot, budgetLog } from './overview/budget-log.ts'
import { type RecentRequests, requestsOf } from './recent/recent-requests.ts'
import { createSeriesRecorder, type SeriesRecorder, type SeriesSnapshot } from './series/series-recorder.ts'
import { type TargetLog, type TargetsSnapshot, targetLog } from './targets/target-log.ts'

/** What a console of another process has in memory. */
interface ConsoleSnapshot {
  readonly requests: readonly RequestDetail[]
  readonly series: SeriesSnapshot
  readonly budgets: BudgetsSnapshot
  readonly targets: TargetsSnapshot
}

/** What a console records of the events of its gateway. */
interface Recorded {
  readonly recent: RecentRequests
  readonly series: SeriesRecorder
  readonly budgets: BudgetLog
  readonly targets: TargetLog
}

interface Settings {
  readonly maxRequests: number
  readonly minutes: number
  readonly teamTag: string
  readonly now: () => number
}

const topic = 'console'
const liveTopic = 'console live'
const watchTopic = 'console watch'
/** How often a console with readers says so, and how long the others send to it after that, in milliseconds. */
const watchEveryMs = 1_000
const watchedMs = 5_000

/** The consoles of all processes of a group. */
export interface ConsoleGroup {
  /** Returns what all of them have. */
  read(): Promise<Recorded>
  /** Sends what happened here to consoles that have readers. */
  send(change: LiveChange): void
  /** Notes that this console has a reader, and for how long. */
  watch(): void
  /** Whether a console of another process has readers. */
  readonly isWatched: boolean
  close(): void
}

type LiveChange = { readonly request: RequestRow } | { readonly target: TargetChange }

/** Joins the consoles of a group. Nothing is sent while nobody looks at one of them. */
export function consoleGroup(
  group: ProcessGroup,
  own: Recorded,
  live: LiveHub,
  settings: Settings,
): ConsoleGroup {
  const { maxRequests, minutes, teamTag, now } = settings
  let watchedUntil = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | undefined
  const merged = (snapshots: readonly ConsoleSnapshot[]) => {
    const series = createSeriesRecorder(minutes, teamTag, now)
    const budgets = budgetLog(now)
    const targets = targetLog(now)
    for (const snapshot of snapshots) {
      series.addSnapshot(snapshot.series)
      budgets.addSnapshot(snapshot.budgets)
      targets.addSnapshot(snapshot.targets)
    }
    const requests = snapshots
      .flatMap(snapshot => snapshot.requests)
      .sort((one, other) => other.at - one.at)
      .slice(0, maxRequests)
    return { series, budgets, targets, requests }
  }
  const snapshotOf = ({ series, budgets, targets }: Omit<Recorded, 'recent'>) => ({
    series: series.snapshot(),
    budgets: budgets.snapshot(),
    targets: targets.snapshot(),
  })
  group.answer(
    topic,
    (): ConsoleSnapshot => ({ ...snapshotOf(own), requests: own.recent.snapshot() }),
    (answers): ConsoleSnapshot => {
      const { requests, ...others } = merged(answers as readonly ConsoleSnapshot[])
      // Those that ran in a process that has ended run no more.
      return { ...snapshotOf(others), requests: requests.filter(({ outcome }) => outcome !== 'running') }
    },
  )
  const unsubscribe = [
    group.subscribe(watchTopic, () => {
      watchedUntil = now() + watchedMs
    }),
    group.subscribe(liveTopic, message => {
      const change = message as LiveChange
      if ('request' in change) live.request(change.request)
      else live.target(change.target)
    }),
  ]
  return {
    async read() {
      const answers = (await group.ask(topic)) as readonly ConsoleSnapshot[]
      const { requests, ...others } = merged(answers)
      return { ...others, recent: { ...own.recent, ...requestsOf(requests) } }
    },
    send: change => group.publish(liveTopic, change),
    watch() {
      group.publish(watchTopic, null)
      timer ??= setInterval(() => {
        if (live.hasReaders) return group.publish(watchTopic, null)
        clearInterval(timer)
        timer = undefined
      }, watchEveryMs)
    },
    get isWatched() {
      return now() < watchedUntil
    },
    close() {
      clearInterval(timer)
      for (const end of unsubscribe) end()
    },
  }
}
