import type { Authenticator, Hook, ModelTable, Prices } from '@sluice/core'
import type { TypedConfig } from './config.ts'
import type { VendorSet } from './providers/vendor-pool.ts'
import type { TargetLimits } from './routes/target-limits.ts'

/** A configuration whose parts fit each other, and what was made of them. */
export interface CompiledConfig {
  readonly config: TypedConfig
  readonly vendors: VendorSet
  readonly route: ModelTable
  readonly targetLimits: TargetLimits
  /** Who may call beside those whose keys were issued. */
  readonly callers: readonly Authenticator[]
  readonly hooks: readonly Hook[]
  /** Of a table; `undefined` also where they come from elsewhere. */
  readonly prices: Prices | undefined
}
