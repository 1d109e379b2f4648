import type { Config, StateConfig } from '../../config/config.ts'
import { cacheNote, type Importing } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import { secretText, settingsText } from './settings.ts'

/** Where Redis is, by a URL or by its parts; `undefined` where that is not said. */
export function redisOf(
  part: ImportNode,
  prefix: '' | 'redis_',
  { reading, variables }: Importing,
): string | undefined {
  const url = settingsText(part.at(`${prefix}url`), variables, 'REDIS_URL')
  if (url !== undefined) return url
  const host = settingsText(part.at(`${prefix}host`), variables, 'REDIS_HOST')
  if (host === undefined) return undefined
  const port =
    settingsText(part.at(`${prefix}port`), variables, 'REDIS_PORT') ?? part.at(`${prefix}port`).count(1)
  const user = settingsText(part.at(`${prefix}username`), variables, 'REDIS_USERNAME') ?? ''
  const password = secretText(part.at(`${prefix}password`), variables, 'REDIS_PASSWORD')
  if (password !== undefined)
    reading.note(
      'A password becomes part of the URL of Redis: where it has characters such as / or @, set it percent-encoded.',
    )
  const scheme = part.at('ssl').flag() === true ? 'rediss' : 'redis'
  const login = password === undefined ? '' : `${user}:${password}@`
  return `${scheme}://${login}${host}:${port ?? 6379}`
}

/** Answers that are given again, and the Redis that they are kept in. */
export function cacheOf(
  settings: ImportNode,
  importing: Importing,
): { cache?: NonNullable<Config['cache']>; redis?: string } {
  const isOn = settings.at('cache').flag()
  const given = settings.at('cache_params')
  if (isOn !== true) {
    given.lose('The cache is off.', 'Nothing: so it is with LiteLLM.')
    return {}
  }
  const type = given.at('type').text() ?? 'redis'
  if (type !== 'local' && type !== 'redis') {
    given.lose(
      'Answers are kept in memory or in Redis, and are given again to the very same request alone.',
      'Set cache, and state.redis where processes share it.',
    )
    return {}
  }
  if (given.at('mode').value === 'default_off') {
    given.lose(
      'A cache that is off until a caller asks for it is not to be had.',
      'Set cache; callers leave it out by the header cache-control: no-store.',
    )
    return {}
  }
  importing.reading.note(cacheNote)
  const seconds = given.at('ttl').number()
  if (seconds === undefined)
    importing.reading.note('The cache has no ttl in the file; ten minutes are written.')
  const redis = type === 'redis' ? redisOf(given, '', importing) : undefined
  return {
    cache: { ttlMs: Math.max(1, Math.round((seconds ?? 600) * 1000)) },
    ...(redis === undefined ? {} : { redis }),
  }
}

/** The database and the Redis of a service. */
export function stateOf(
  root: ImportNode,
  cacheRedis: string | undefined,
  importing: Importing,
): StateConfig | undefined {
  const router = redisOf(root.at('router_settings'), 'redis_', importing)
  const database = databaseOf(root.at('general_settings').at('database_url'), importing)
  if (router !== undefined && cacheRedis !== undefined && router !== cacheRedis)
    importing.reading.note(
      'The file has two Redis servers: that of router_settings is taken for limits, health and cache alike.',
    )
  const redis = router ?? cacheRedis
  if (redis === undefined && database === undefined) return undefined
  return { ...(database === undefined ? {} : { database }), ...(redis === undefined ? {} : { redis }) }
}

function databaseOf(part: ImportNode, { reading, variables }: Importing): string | undefined {
  const database = secretText(part, variables, 'DATABASE_URL')
  if (database === undefined) return undefined
  reading.reportUnsupported(
    part.path,
    "The database itself is carried over, and LiteLLM's keys, teams, users and spend in it are not read.",
    'Issue keys anew with `sluice keys create`; its tables stand beside those of LiteLLM.',
  )
  return database
}
