import type { ManagedGateway, TargetHealth } from '@sluice/core'

/** What the console asks of a gateway. */
export interface ConsoleGateway extends Pick<ManagedGateway, 'matches' | 'models' | 'ready'> {
  /** Each model with the targets that may answer it, and how they do. */
  targets(): readonly {
    readonly model: string
    readonly targets: readonly {
      readonly provider: string
      readonly model: string
      readonly health: TargetHealth
    }[]
  }[]
}
