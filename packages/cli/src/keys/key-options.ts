import type { Command } from '../command.ts'

/** Where the keys are: what each command that needs a database takes. */
export const databaseOptions = {
  config: { type: 'string' },
  database: { type: 'string' },
} as const satisfies Command['options']

/** The same for help. */
export const databaseHelp = `  --config FILE     the configuration whose database it is. Default: that of this folder
  --database URL    the database itself: file:./sluice.db or postgres://...
                    Without either, and without a configuration here, it is that of sluice dev: .sluice/dev.db`
