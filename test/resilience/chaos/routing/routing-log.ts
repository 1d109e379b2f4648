import type { EndEvent } from '@sluice/core'
import type { ClientEnd } from '../traffic/client-end.ts'
import type { Spell } from './weather.ts'

/** What a client was told. Moments are milliseconds of `performance.now()`. */
export interface Asked {
  readonly at: number
  readonly ms: number
  readonly stream: boolean
  readonly status: number
  readonly end: ClientEnd
}

/** An upstream began to be left alone. */
export interface LeftAlone {
  readonly at: number
  readonly upstream: number
  readonly waitMs: number
}

/** What was written down in a run. */
export interface RoutingLogs {
  readonly startedAt: number
  readonly spells: readonly Spell[]
  readonly throughGateway: readonly Asked[]
  /** By upstream: what clients were told that asked nobody else. */
  readonly alone: readonly (readonly Asked[])[]
  /** By upstream: when it gave the gateway a whole answer. */
  readonly answered: readonly (readonly number[])[]
  readonly leftAlone: readonly LeftAlone[]
  readonly ends: readonly { readonly at: number; readonly event: EndEvent }[]
  readonly alarms: readonly string[]
}
