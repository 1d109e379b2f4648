import type { LogConfig, TypedConfig } from '../config.ts'
import { object } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { choice, flag, number } from '../shape/values.ts'
import { count } from './numbers.ts'

export const logShape = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<LogConfig>({
        store: {
          shape: choice('database'),
          description: 'Where rows are stored: `database`, that of `state`.',
          required: true,
        },
        maxAgeDays: {
          shape: number({ above: 0, max: 36_500 }, 'days above 0, at most 36500'),
          description: 'Rows that are older are deleted. Default 30.',
        },
        maxRows: {
          shape: count,
          description: 'Maximum number of rows; the oldest are deleted. Default: no maximum.',
        },
        maxBytes: {
          shape: count,
          description: 'Maximum size of the rows as JSON, in bytes. Default: no maximum.',
        },
        errorMessages: {
          shape: flag,
          description: 'Whether to store error messages that may quote a request. Default: no.',
        },
      }),
    },
  ],
  "{ store: 'database' }, or false",
)

/** The log has no database of its own. */
export function checkLog({ log, state }: TypedConfig, root: ConfigLocation): void {
  if (!log || root.issues.has(['log']) || state?.database !== undefined) return
  root.at('log').at('store').add({
    got: 'database, but state has none',
    expected: 'a database in state.database',
    fix: "For example state: { database: 'file:./sluice.db' }.",
  })
}
