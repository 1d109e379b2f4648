import type { Config, StateConfig } from '../../config/config.ts'
import { cacheNote, type ImportContext } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import { secretText, settingsText } from './settings.ts'

/** Where Redis is, by a URL or by its parts; `undefined` where that is not said. */
export function redisOf(
  part: ImportNode,
  prefix: '' | 'redis_',
  { reader, variables }: ImportContext,
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
    reader.note('The password is part of the Redis URL: percent-encode special characters such as / or @.')
  const scheme = part.at('ssl').flag() === true ? 'rediss' : 'redis'
  const login = password === undefined ? '' : `${user}:${password}@`
  return `${scheme}://${login}${host}:${port ?? 6379}`
}

/** Imports the response cache and its Redis. */
export function cacheOf(
  settings: ImportNode,
  context: ImportContext,
): { cache?: NonNullable<Config['cache']>; redis?: string } {
  const isOn = settings.at('cache').flag()
  const given = settings.at('cache_params')
  if (isOn !== true) {
    given.reportUnsupported('The cache is off.', 'Nothing: LiteLLM does the same.')
    return {}
  }
  const type = given.at('type').text() ?? 'redis'
  if (type !== 'local' && type !== 'redis') {
    given.reportUnsupported(
      'Responses are cached in memory or in Redis, for identical requests only.',
      'Set cache, and state.redis if processes share it.',
    )
    return {}
  }
  if (given.at('mode').value === 'default_off') {
    given.reportUnsupported(
      'The cache cannot be opt-in.',
      'Set cache; callers can skip it with the header cache-control: no-store.',
    )
    return {}
  }
  context.reader.note(cacheNote)
  const seconds = given.at('ttl').number()
  if (seconds === undefined) context.reader.note('The cache has no ttl: ten minutes are used.')
  const redis = type === 'redis' ? redisOf(given, '', context) : undefined
  return {
    cache: { ttlMs: Math.max(1, Math.round((seconds ?? 600) * 1000)) },
    ...(redis === undefined ? {} : { redis }),
  }
}

/** The database and the Redis of a service. */
export function stateOf(
  root: ImportNode,
  cacheRedis: string | undefined,
  context: ImportContext,
): StateConfig | undefined {
  const router = redisOf(root.at('router_settings'), 'redis_', context)
  const database = databaseOf(root.at('general_settings').at('database_url'), context)
  if (router !== undefined && cacheRedis !== undefined && router !== cacheRedis)
    context.reader.note(
      'The file has two Redis servers: the one of router_settings is used for limits, health and cache.',
    )
  const redis = router ?? cacheRedis
  if (redis === undefined && database === undefined) return undefined
  return { ...(database === undefined ? {} : { database }), ...(redis === undefined ? {} : { redis }) }
}

function databaseOf(part: ImportNode, { reader, variables }: ImportContext): string | undefined {
  const database = secretText(part, variables, 'DATABASE_URL')
  if (database === undefined) return undefined
  reader.reportUnsupported(
    part.path,
    "The database is used, but LiteLLM's keys, teams, users and spend in it are not imported.",
    'Create new keys with `sluice keys create`. The tables do not conflict with those of LiteLLM.',
  )
  return database
}
