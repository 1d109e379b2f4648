import { ConfigurationError, type KeyStore } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, hiddenIssue, unknownOption } from '@sluice/core/adapter'
import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import type { ProcessGroup } from '@sluice/core/store'
import { type ConsoleChat, type ResolvedChat, resolveChat } from './chat/chat-options.ts'
import type { ConsoleAlerts } from './console-alerts.ts'
import type { ConsoleBodies } from './console-bodies.ts'
import type { ConsoleHooks } from './console-hooks.ts'
import type { ConsoleLog } from './log-search.ts'

/** Options of `createConsole`. */
export interface ConsoleOptions {
  /** The key of the page: it gives access to everything in it. At least 16 visible ASCII characters, better 32 random ones. */
  readonly adminKey: string
  /** The store in which the page manages keys, such as `database.keys`. Absent: no keys. */
  readonly keys?: KeyStore | undefined
  /** Sums over the ledger: `query => database.usage(query)`. Absent: the page has only the sums of the last `minutes`. */
  readonly usage?: ((query: UsageQuery) => Promise<readonly UsageRow[]>) | undefined
  /**
   * Whether callers may ask for their own usage and its cost, with their own keys, at `/console/api/own-usage`. Default: no.
   */
  readonly ownUsage?: boolean | undefined
  /** The request log in a database: that of `createRequestLog` of `@sluice/log`. Absent: only the last requests of this process. */
  readonly log?: ConsoleLog | undefined
  /**
   * The bodies of requests: those of `createBodyLog` of `@sluice/log`. Whoever has the admin key can read them. Absent: no bodies.
   */
  readonly bodies?: ConsoleBodies | undefined
  /**
   * The hooks of the gateway: the list that it is given, or a function that returns it, for a gateway that is reloaded. The page shows
   * their settings. Absent: only what hooks did with each request.
   */
  readonly hooks?: ConsoleHooks | undefined
  /** Alerts: those of `createAlerts` of `@sluice/alerts`. The page shows the latest ones. Absent: none. */
  readonly alerts?: ConsoleAlerts | undefined
  /**
   * What the chat may do without the API key of a caller. It then calls as the principal `console`, which the gateway
   * authenticates with `authenticate: firstOf(adminConsole.authenticate, ...)`. `false`: the chat needs the key of a
   * caller.
   */
  readonly chat?: ConsoleChat | false | undefined
  /** The tag with the team of a principal. Default `team`. */
  readonly teamTag?: string | undefined
  /** The `basePath` of the gateway. Default `/v1`. */
  readonly basePath?: string | undefined
  /** How many requests are kept, with those in flight: 1 to 500. Default 500. */
  readonly maxRequests?: number | undefined
  /** For how many minutes sums are kept: 1 to 1,440. Default 180. */
  readonly minutes?: number | undefined
  /**
   * The processes whose requests the page shows: `workerGroup()` of `@sluice/node`. Default: this process alone. One console per
   * process.
   */
  readonly group?: ProcessGroup | undefined
  /** Receives internal errors, such as of a database that does not respond. The page shows no details of them. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Returns milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

type Optional = 'group' | 'keys' | 'usage' | 'log' | 'bodies' | 'hooks' | 'alerts'
type ResolvedOptions = Pick<ConsoleOptions, Optional> & {
  readonly [Name in Exclude<keyof ConsoleOptions, Optional | 'chat'>]-?: NonNullable<ConsoleOptions[Name]>
} & { readonly chat: ResolvedChat | false }

const keyMethods = ['issue', 'list', 'get', 'update', 'rotate', 'delete'] as const
const bodiesMethods = ['get', 'replayBody', 'responseText'] as const
const logMethods = ['search', 'get', 'export'] as const
const known: readonly string[] = [
  'adminKey',
  'keys',
  'usage',
  'ownUsage',
  'log',
  'bodies',
  'hooks',
  'alerts',
  'chat',
  'teamTag',
  'basePath',
  'maxRequests',
  'minutes',
  'group',
  'onError',
  'now',
] satisfies (keyof ConsoleOptions)[]

/** Adds the defaults. Throws `ConfigurationError` for invalid options, whose message never contains the admin key. */
export function resolveOptions(given: ConsoleOptions): ResolvedOptions {
  if (typeof given !== 'object' || given === null) {
    throw invalid([configurationIssue([], given, 'an object of options, such as { adminKey }')])
  }
  const issues: ConfigurationIssue[] = Object.entries(given)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => unknownOption([name], value, known))
  const {
    adminKey,
    keys,
    usage,
    ownUsage = false,
    log,
    bodies,
    hooks,
    alerts,
    teamTag = 'team',
    basePath = '/v1',
    maxRequests = 500,
    minutes = 180,
    group,
  } = given
  const { chat: givenChat = {}, onError = () => {}, now = Date.now } = given
  if (typeof adminKey !== 'string' || !/^[\x21-\x7e]{16,512}$/.test(adminKey)) {
    issues.push(adminKeyIssue(adminKey))
  }
  if (keys !== undefined && !keyMethods.every(name => typeof keys?.[name] === 'function')) {
    issues.push(hiddenIssue(['keys'], keys, 'a key store, such as that of a database'))
  }
  if (usage !== undefined && typeof usage !== 'function') {
    issues.push(hiddenIssue(['usage'], usage, 'a function, such as query => database.usage(query)'))
  }
  if (typeof ownUsage !== 'boolean') issues.push(configurationIssue(['ownUsage'], ownUsage, 'true or false'))
  else if (ownUsage && usage === undefined) {
    issues.push(configurationIssue(['ownUsage'], ownUsage, 'usage beside it'))
  }
  if (log !== undefined && !logMethods.every(name => typeof log?.[name] === 'function')) {
    issues.push(hiddenIssue(['log'], log, 'a request log, such as createRequestLog() returns'))
  }
  if (bodies !== undefined && !bodiesMethods.every(name => typeof bodies?.[name] === 'function')) {
    issues.push(hiddenIssue(['bodies'], bodies, 'a log of bodies, such as createBodyLog() returns'))
  }
  if (hooks !== undefined && typeof hooks !== 'function' && !areHooks(hooks)) {
    issues.push(hiddenIssue(['hooks'], hooks, 'the hooks of the gateway, or a function that returns them'))
  }
  if (alerts !== undefined && typeof alerts?.recent !== 'function') {
    issues.push(hiddenIssue(['alerts'], alerts, 'alerts, such as createAlerts() returns'))
  }
  const chat = resolveChat(givenChat, issues)
  if (typeof teamTag !== 'string' || teamTag === '') {
    issues.push(configurationIssue(['teamTag'], teamTag, "a tag's name"))
  }
  if (typeof basePath !== 'string' || !/^(\/[\w.~-]+)+$/.test(basePath)) {
    issues.push(configurationIssue(['basePath'], basePath, "the gateway's basePath, such as '/v1'"))
  }
  issues.push(...countIssues('maxRequests', maxRequests, 500), ...countIssues('minutes', minutes, 1_440))
  if (group !== undefined && typeof group?.ask !== 'function') {
    issues.push(hiddenIssue(['group'], group, 'a group of processes, such as workerGroup()'))
  }
  if (typeof onError !== 'function') issues.push(configurationIssue(['onError'], onError, 'a function'))
  if (typeof now !== 'function') issues.push(configurationIssue(['now'], now, 'a function'))
  if (issues.length > 0) throw invalid(issues)
  return {
    adminKey,
    keys,
    usage,
    ownUsage,
    log,
    bodies,
    hooks,
    alerts,
    chat,
    teamTag,
    basePath,
    maxRequests,
    minutes,
    group,
    onError,
    now,
  }
}

function areHooks(given: unknown): boolean {
  return Array.isArray(given) && given.every(hook => typeof hook?.name === 'string')
}

/** Names the length of an invalid key, never its text. */
function adminKeyIssue(adminKey: unknown): ConfigurationIssue {
  const expected = 'at least 16 visible ASCII characters without spaces, such as of `openssl rand -hex 24`'
  if (typeof adminKey !== 'string') return hiddenIssue(['adminKey'], adminKey, expected)
  return { path: ['adminKey'], received: `a string of ${adminKey.length} characters`, expected }
}

function countIssues(name: string, count: unknown, max: number): ConfigurationIssue[] {
  if (Number.isInteger(count) && (count as number) >= 1 && (count as number) <= max) return []
  return [configurationIssue([name], count, `a whole number from 1 to ${max}`)]
}

function invalid(issues: readonly ConfigurationIssue[]): ConfigurationError {
  return new ConfigurationError('createConsole()', issues)
}
