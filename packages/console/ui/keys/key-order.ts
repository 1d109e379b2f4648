import type { KeyRow } from '../../src/api.ts'
import { budgetSpend, type SpendByWindow } from './key-spend.ts'

export type KeyOrder = 'created' | 'name' | 'team' | 'spend' | 'used' | 'expires'

/** Returns the keys of a team that a text is found in: in the name, the id, a tag or a model. */
export function findKeys(
  keys: readonly KeyRow[],
  text: string,
  team: string,
  teamTag: string,
): readonly KeyRow[] {
  const sought = text.trim().toLowerCase()
  return keys.filter(({ id, name, tags, models }) => {
    if (team !== '' && tags?.[teamTag] !== team) return false
    if (sought === '') return true
    return [id, name, ...Object.entries(tags ?? {}).map(pair => pair.join('=')), ...(models ?? [])].some(
      each => each.toLowerCase().includes(sought),
    )
  })
}

/** Returns the keys in an order: newest first, by name or team, or with the largest or nearest value first. */
export function sortKeys(
  keys: readonly KeyRow[],
  order: KeyOrder,
  spend: SpendByWindow,
  teamTag: string,
): readonly KeyRow[] {
  const by = <T>(read: (key: KeyRow) => T, compare: (one: T, other: T) => number) =>
    keys
      .map(key => [key, read(key)] as const)
      .sort(([, one], [, other]) => compare(one, other))
      .map(([key]) => key)
  const texts = (one: string, other: string) => one.localeCompare(other)
  switch (order) {
    case 'name':
      return by(({ name }) => name, texts)
    case 'team':
      // Keys without a team come last.
      return by(({ tags }) => tags?.[teamTag] ?? '\uffff', texts)
    case 'spend':
      return by(
        key => budgetSpend(key, spend)?.spent ?? spend.get('month')?.get(key.id) ?? 0,
        (one, other) => other - one,
      )
    case 'used':
      return by(
        ({ lastUsedAt }) => lastUsedAt ?? 0,
        (one, other) => other - one,
      )
    case 'expires':
      return by(
        ({ expiresAt }) => expiresAt ?? Number.MAX_VALUE,
        (one, other) => one - other,
      )
    default:
      return keys
  }
}
