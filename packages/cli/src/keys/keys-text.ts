import type { LimitRuleData } from '@sluice/core'
import type { StoredKey } from '@sluice/core/keys'
import { tableText } from '../command-line/table-text.ts'

/** Keys as a table for people, newest first. */
export function keysText(keys: readonly StoredKey[], now: number): string {
  if (keys.length === 0) return 'No keys. Create one with: sluice keys create --name NAME'
  const columns = ['id', 'name', 'state', 'models', 'limits', 'tags', 'last used'].map(head => ({ head }))
  return tableText(
    columns,
    keys.map(key => [
      key.id,
      key.name,
      stateOf(key, now),
      key.models?.join(' ') ?? 'all',
      key.limits?.map(ruleText).join(' ') ?? '-',
      Object.entries(key.tags ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(' ') || '-',
      key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
    ]),
  )
}

function stateOf({ disabled, expiresAt }: StoredKey, now: number): string {
  if (disabled) return 'disabled'
  if (expiresAt === null) return 'active'
  return `${expiresAt <= now ? 'expired' : 'until'} ${minute(expiresAt)}`
}

/** As `--limit` takes it, where it can be said so. */
function ruleText({ kind, limit, per, currency }: LimitRuleData): string {
  return `${kind}:${limit}${currency ?? ''}${per === undefined ? '' : `/${per}`}`
}

/** `2026-11-21 08:30Z`. */
function minute(time: number): string {
  return new Date(time).toISOString().replace(/T(\d+:\d+).*$/, ' $1Z')
}

/** A key as it is printed as JSON. */
type ShownKey = Omit<StoredKey, 'secrets' | Moment> & Readonly<Record<Moment, string | null>>

type Moment = 'createdAt' | 'expiresAt' | 'lastUsedAt'

/** Everything that is stored of a key except the digests of its secrets. Times are ISO 8601 in UTC. */
export function shownKey({ secrets, ...key }: StoredKey): ShownKey {
  return {
    ...key,
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTime(key.expiresAt),
    lastUsedAt: isoTime(key.lastUsedAt),
  }
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
