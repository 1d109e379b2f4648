import type { HealthSettings } from './health-options.ts'
import type { HealthSync } from './health-sync.ts'

/** The settings of a target's health. */
export interface RecordSettings extends Omit<HealthSettings, 'shared'> {
  readonly sharing: HealthSync | undefined
}
