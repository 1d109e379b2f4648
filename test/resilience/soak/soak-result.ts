import type { AbortPhase } from './driver/aborts.ts'
import type { SoakPlan } from './plan.ts'
import type { Books, Holdings, LoopDelay, MemorySample } from './process/messages.ts'
import type { Spread } from './statistics.ts'

/** All that a soak has measured. */
export interface SoakResult {
  readonly plan: SoakPlan
  readonly exchanges: number
  readonly failures: readonly string[]
  readonly alarms: readonly string[]
  readonly books: Books
  /** Warm, with no request. */
  readonly rested: MemorySample
  /** With the live streams and nothing else. */
  readonly held: MemorySample
  /** The same, again and again while mixed traffic goes on in between. */
  readonly memory: readonly MemorySample[]
  readonly before: Holdings
  readonly after: Holdings
  readonly upstreamLeft: number
  readonly aborts: readonly {
    readonly phase: string
    readonly at: AbortPhase['at']
    readonly spread: Spread
  }[]
  readonly delays: readonly {
    readonly phase: string
    readonly hostile: boolean
    readonly delay: LoopDelay
  }[]
}
