import type { KeyStore } from '@sluice/core'
import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import { type ConsoleChat, type ResolvedChat, resolveChat } from './chat/chat-options.ts'

/** What the console needs, and what it may show. */
export interface ConsoleOptions {
  /** Who has it sees and changes all that the console can: at least 16 visible ASCII characters, better 32 random ones. */
  readonly adminKey: string
  /** The keys that can be issued, changed and ended: those of a database. Absent: none. */
  readonly keys?: KeyStore | undefined
  /** Sums over the ledger: `query => database.usage(query)`. Absent: the console knows only what it saw itself. */
  readonly usage?: ((query: UsageQuery) => Promise<readonly UsageRow[]>) | undefined
  /**
   * What the chat may do where no caller's key is typed in: it calls as the principal `console`, which the gateway knows by
   * `authenticate: firstOf(board.authenticate, ...)`. `false`: the chat needs a caller's key.
   */
  readonly chat?: ConsoleChat | false | undefined
  /** The tag by which callers belong to a team. Default `team`. */
  readonly teamTag?: string | undefined
  /** The `base` of the gateway. Default `/v1`. */
  readonly basePath?: string | undefined
  /** How many requests are kept, those that run included: 1 to 500, the default. */
  readonly maxRequests?: number | undefined
  /** For how many minutes sums are kept: 1 to 1,440. Default 180. */
  readonly minutes?: number | undefined
  /** Receives internal errors, such as of a database that does not answer. The page shows no details of them. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

type Optional = 'keys' | 'usage'
type ResolvedOptions = Pick<ConsoleOptions, Optional> & {
  readonly [Name in Exclude<keyof ConsoleOptions, Optional | 'chat'>]-?: NonNullable<ConsoleOptions[Name]>
} & { readonly chat: ResolvedChat | false }

const keyMethods = ['issue', 'list', 'get', 'update', 'rotate', 'delete'] as const
const known: readonly string[] = [
  'adminKey',
  'keys',
  'usage',
  'chat',
  'teamTag',
  'basePath',
  'maxRequests',
  'minutes',
  'onError',
  'now',
] satisfies (keyof ConsoleOptions)[]

/** The options with their defaults. Throws `TypeError` for what cannot be used; it never tells the admin key. */
export function resolveOptions(given: ConsoleOptions): ResolvedOptions {
  if (typeof given !== 'object' || given === null) throw fault('expected options, such as { adminKey }')
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown !== undefined) throw fault(`no such option: ${unknown}. Known are ${known.join(', ')}`)
  const {
    adminKey,
    keys,
    usage,
    teamTag = 'team',
    basePath = '/v1',
    maxRequests = 500,
    minutes = 180,
  } = given
  const { chat: givenChat = {}, onError = () => {}, now = Date.now } = given
  if (typeof adminKey !== 'string' || !/^[\x21-\x7e]{16,512}$/.test(adminKey)) {
    const got = typeof adminKey === 'string' ? `a text of ${adminKey.length} characters` : typeof adminKey
    throw fault(
      `adminKey: got ${got}, expected at least 16 visible ASCII characters without spaces. \`openssl rand -hex 24\` makes a good one`,
    )
  }
  if (keys !== undefined && !keyMethods.every(name => typeof keys?.[name] === 'function'))
    throw fault('keys: expected a key store, such as that of a database')
  if (usage !== undefined && typeof usage !== 'function')
    throw fault('usage: expected a function, such as query => database.usage(query)')
  const chat = resolveChat(givenChat, fault)
  if (typeof teamTag !== 'string' || teamTag === '') throw fault("teamTag: expected a tag's name")
  if (typeof basePath !== 'string' || !/^(\/[\w.~-]+)+$/.test(basePath))
    throw fault("basePath: expected the gateway's basePath, such as '/v1'")
  expectCount('maxRequests', maxRequests, 500)
  expectCount('minutes', minutes, 1_440)
  if (typeof onError !== 'function') throw fault('onError: expected a function')
  if (typeof now !== 'function') throw fault('now: expected a function')
  return { adminKey, keys, usage, chat, teamTag, basePath, maxRequests, minutes, onError, now }
}

function expectCount(name: string, count: unknown, max: number): void {
  if (Number.isInteger(count) && (count as number) >= 1 && (count as number) <= max) return
  throw fault(`${name}: got ${String(count)}, expected a whole number from 1 to ${max}`)
}

function fault(what: string): TypeError {
  return new TypeError(`createConsole(): ${what}.`)
}
