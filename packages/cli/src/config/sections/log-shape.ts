import type { BodyLogConfig, LogConfig, TypedConfig } from '../config.ts'
import { list, object } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { choice, flag, number, secret, text } from '../shape/values.ts'
import { checkModelNames } from './check-rules.ts'
import { count } from './numbers.ts'

/** 32 bytes as base64. */
const bodyKey = secret(
  `32 random bytes as base64, such as \${SLUICE_LOG_KEY} with what \`openssl rand -base64 32\` prints`,
  /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/,
)

const bodiesShape = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<BodyLogConfig>({
        key: {
          shape: bodyKey,
          description:
            'The key that they are encrypted with: 32 random bytes as base64, best from the environment.',
          required: true,
        },
        previousKeys: {
          shape: list(bodyKey, { of: 'keys' }),
          description: 'Earlier keys, for bodies that are stored already. Default: none.',
        },
        retentionDays: {
          shape: number({ above: 0, max: 36_500 }, 'days above 0, at most 36500'),
          description: 'Bodies that are older are deleted.',
          required: true,
        },
        models: {
          shape: list(text("a model's name, or a pattern such as 'test-*'"), {
            min: 1,
            of: "models' names or patterns",
          }),
          description: 'The requested models whose bodies are stored, by name or pattern. Default: all.',
        },
        keys: {
          shape: list(text("the id of a key, or a pattern such as 'test-*'"), {
            min: 1,
            of: "keys' ids or patterns",
          }),
          description:
            'The callers whose bodies are stored, by the id of their key or pattern. Default: all.',
        },
        maxBytes: {
          shape: count,
          description:
            'Maximum size of each body. A larger request is not stored, a larger response is cut. Default 1048576.',
        },
      }),
    },
  ],
  '{ key, retentionDays }, or false',
)

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
        bodies: {
          shape: bodiesShape,
          description: 'Stores the bodies of requests and responses, encrypted. Default: none are stored.',
        },
      }),
    },
  ],
  "{ store: 'database' }, or false",
)

/** The log has no database of its own. */
export function checkLog(config: TypedConfig, root: ConfigLocation): void {
  const { log, state } = config
  if (!log || root.issues.has(['log'])) return
  if (log.bodies) checkModelNames(log.bodies.models, config, root.at('log').at('bodies').at('models'))
  if (state?.database !== undefined) return
  root.at('log').at('store').add({
    got: 'database, but state has none',
    expected: 'a database in state.database',
    fix: "For example state: { database: 'file:./sluice.db' }.",
  })
}
