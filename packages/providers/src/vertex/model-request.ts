import type { Adjustment } from '@sluice/core/provider'

/** What a request to one kind of model says in that kind's own way. */
export interface ModelRequest {
  /** What the URL ends with, after the colon. */
  readonly method: string
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly adjustments: readonly Adjustment[]
}
