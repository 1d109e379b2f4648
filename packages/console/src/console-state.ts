import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import type { ConsoleCaller } from './chat/console-caller.ts'
import type { ConsoleAlerts } from './console-alerts.ts'
import type { ConsoleBodies } from './console-bodies.ts'
import type { ConsoleGroup } from './console-group.ts'
import type { ConsoleHooks } from './console-hooks.ts'
import type { KeyApi } from './keys/key-api.ts'
import type { LiveHub } from './live/live-hub.ts'
import type { ConsoleLog } from './log-search.ts'
import type { BudgetLog } from './overview/budget-log.ts'
import type { RecentRequests } from './recent/recent-requests.ts'
import type { SeriesRecorder } from './series/series-recorder.ts'
import type { TargetLog } from './targets/target-log.ts'

/** What the console knows, and whom it may ask. */
export interface ConsoleState {
  readonly recent: RecentRequests
  readonly series: SeriesRecorder
  readonly targets: TargetLog
  readonly budgets: BudgetLog
  /** How many minutes `series` keeps. */
  readonly minutes: number
  readonly live: LiveHub
  /** The consoles of other processes; `undefined`: this one is alone. */
  readonly group: ConsoleGroup | undefined
  readonly keys: KeyApi | undefined
  /** `undefined` where the chat needs a caller's key. */
  readonly caller: ConsoleCaller | undefined
  readonly usage: ((query: UsageQuery) => Promise<readonly UsageRow[]>) | undefined
  /** Whether callers may ask for their own usage. */
  readonly ownUsage: boolean
  /** `undefined` without a request log in a database. */
  readonly log: ConsoleLog | undefined
  /** `undefined` without stored bodies. */
  readonly bodies: ConsoleBodies | undefined
  /** `undefined` if the hooks of the gateway are not known. */
  readonly hooks: ConsoleHooks | undefined
  /** `undefined` without alerts. */
  readonly alerts: ConsoleAlerts | undefined
  readonly basePath: string
  readonly teamTag: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly closed: boolean
}
