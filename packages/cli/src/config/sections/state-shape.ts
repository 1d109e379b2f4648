import type { StateConfig, TypedConfig } from '../config.ts'
import { kindOf } from '../issues/issue-text.ts'
import { object, record } from '../shape/collections.ts'
import { either } from '../shape/either.ts'
import type { ConfigLocation, Shape } from '../shape/shape.ts'
import { number, secret, text } from '../shape/values.ts'

/** A URL, which may contain a password: of an invalid one only the scheme is shown. */
function url(expected: string, schemes: RegExp): Shape {
  return {
    read: (value, location) => {
      if (typeof value !== 'string' || location.reference !== undefined) {
        return typeof value === 'string' && schemes.test(value) ? value : location.reject(value, expected)
      }
      if (schemes.test(value)) return value
      const scheme = /^[a-z][a-z+.-]{1,20}:/i.exec(value)?.[0]
      const got = scheme === undefined ? kindOf(value) : `a string that begins with '${scheme}'`
      return location.add({ got, expected })
    },
    schema: () => ({ type: 'string', minLength: 1 }),
  }
}

const pepper = secret('a secret')

export const stateShape = object<StateConfig>({
  database: {
    shape: url(
      "'file:' and a path, such as 'file:./sluice.db', or 'postgres://...'",
      /^(?:file:|:memory:$|postgres(?:ql)?:\/\/)/,
    ),
    description:
      'Database for created keys and the ledger: `file:./sluice.db` (SQLite) or `postgres://...`. Default: none.',
  },
  journal: {
    shape: text("a folder, such as './sluice-journal'"),
    description:
      'Folder for ledger records while PostgreSQL is unavailable. Default: they wait in memory, and a crash loses them.',
  },
  redis: {
    shape: url("'redis://...' or 'rediss://...'", /^rediss?:\/\//),
    description:
      'Redis for limits, cached responses and target health that processes share: `redis://...`. Default: memory of the process.',
  },
  prefix: {
    shape: text('at most 100 letters, digits and -_.:', /^[\w.:-]{1,100}$/),
    description: 'Prefix of all Redis keys. Default `sluice`.',
  },
  pepper: {
    shape: either(
      [
        { when: value => typeof value === 'string', shape: pepper },
        {
          when: value => typeof value === 'object' && value !== null && !Array.isArray(value),
          shape: record(pepper, { of: 'secrets by version', min: 1 }),
        },
      ],
      'a secret, or secrets by the names of their versions',
    ),
    description: 'Secret for hashing created keys; or several by version, newest first.',
  },
  instances: {
    shape: number({ min: 1, max: 1_000_000, whole: true }, 'a whole number from 1'),
    description:
      'Number of processes that share the Redis: each enforces its share of the limits while Redis is unavailable. Default 4.',
  },
  storeTimeoutMs: {
    // The client of Redis closes a connection that is silent for longer.
    shape: number({ min: 1, max: 2_000, whole: true }, 'a whole number from 1 to 2000'),
    description:
      'Timeout of one operation in Redis, in milliseconds: of limits, cached responses, idempotency keys and target health. Longer timeouts stay: 1,000 of stored responses, and in a database 250 of key lookups and ledger writes. Set more for a server in another region. Default 50; of what workers without Redis share, 500.',
  },
})

/** SQLite needs no journal: its file is on the same disk. */
export function checkJournal({ state }: TypedConfig, root: ConfigLocation): void {
  if (state?.journal === undefined || root.issues.has(['state'])) return
  if (state.database !== undefined && isPostgres(state.database)) return
  root
    .at('state')
    .at('journal')
    .add({
      got: state.database === undefined ? 'a folder, but no database' : 'a folder, but a database in a file',
      expected: "a database 'postgres://...' in state.database",
      fix: 'Remove state.journal, or set state.database to the URL of a PostgreSQL.',
    })
}

export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url)
}
