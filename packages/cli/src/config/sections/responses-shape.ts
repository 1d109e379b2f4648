import type { ResponsesConfig, TypedConfig } from '../config.ts'
import { object } from '../shape/collections.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { choice, number } from '../shape/values.ts'
import { orFalse } from './gateway-shapes.ts'
import { count } from './numbers.ts'

export const responsesShape = orFalse(
  object<ResponsesConfig>({
    store: {
      shape: choice('memory', 'redis', 'database'),
      description:
        'Where they are stored. Default: `redis` if `state.redis` is set, else `database` if `state.database` is set, else `memory`.',
    },
    ttlMs: {
      shape: number(
        { min: 1, max: 31_536_000_000, whole: true },
        'a whole number of milliseconds from 1, at most a year',
      ),
      description:
        'How long a response is stored since it was last read, in milliseconds. Default 2592000000 (30 days); in memory 3600000 (one hour).',
    },
    maxResponses: {
      shape: number({ min: 1, max: 1_000_000, whole: true }, 'a whole number from 1 to 1000000'),
      description:
        'Maximum number of responses per principal; in memory of all principals together. Default 10000.',
    },
    maxBytes: {
      shape: count,
      description:
        'Maximum size in bytes per principal; in memory of all principals together. Default 67108864 (64 MiB).',
    },
  }),
)

/** Reports a store that `state` does not have. */
export function checkResponses({ responses, state }: TypedConfig, root: ConfigLocation): void {
  if (!responses || root.issues.has(['responses']) || root.issues.has(['state'])) return
  const { store } = responses
  if (store === undefined || store === 'memory' || state?.[store] !== undefined) return
  root
    .at('responses')
    .at('store')
    .add({
      got: `'${store}' without state.${store}`,
      expected: `state.${store} to be set, or 'memory'`,
    })
}
