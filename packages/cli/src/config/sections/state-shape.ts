import type { StateConfig } from '../config.ts'
import { kindOf } from '../issues/issue-text.ts'
import { object, record } from '../shape/collections.ts'
import { either } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { number, secret, text } from '../shape/values.ts'

/** A URL, which may hold a password: of a wrong one nothing is told but how it begins. */
function url(expected: string, schemes: RegExp): Shape {
  return {
    read: (value, place) => {
      if (typeof value !== 'string' || place.reference !== undefined) {
        return typeof value === 'string' && schemes.test(value) ? value : place.wrong(value, expected)
      }
      if (schemes.test(value)) return value
      const scheme = /^[a-z][a-z+.-]{1,20}:/i.exec(value)?.[0]
      const got = scheme === undefined ? kindOf(value) : `a text that begins with '${scheme}'`
      return place.add({ got, expected })
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
      'Where issued keys and the ledger are kept: `file:./sluice.db` (SQLite) or `postgres://...`. Default: nowhere.',
  },
  redis: {
    shape: url("'redis://...' or 'rediss://...'", /^rediss?:\/\//),
    description:
      'Where limits, cached answers and the health of places are shared between processes: `redis://...`. Default: this process.',
  },
  prefix: {
    shape: text('at most 100 letters, digits and -_.:', /^[\w.:-]{1,100}$/),
    description: "What the names of this service's keys in Redis begin with. Default `sluice`.",
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
    description: 'A secret under which issued keys are digested; or several by version, newest first.',
  },
  instances: {
    shape: number({ min: 1, max: 1_000_000, whole: true }, 'a whole number from 1'),
    description:
      'How many processes share the Redis: each counts its share of a limit while that is away. Default 4.',
  },
})
