import { ConfigurationError } from '@sluice/core'
import { configurationError, hiddenIssue } from '@sluice/core/adapter'
import type { Call, Provider, ProviderKey } from '@sluice/core/provider'
import { rejectUnknownOptions } from './known-options.ts'
import { validateSecret } from './request-headers.ts'

/** One of several API keys of an account. */
export interface WeightedKey {
  readonly key: string
  /** Its share of the calls, relative to the others. 0: used only while all others are in cooldown. Default 1. */
  readonly weight?: number | undefined
  /** Its name in events and traces, of at most 64 characters. Never part of the key. Default: its position, `key 2`. */
  readonly label?: string | undefined
}

/** One API key, or several: calls are distributed over them, and one that is rejected or limited rests. */
export type ApiKeys = string | readonly (string | WeightedKey)[]

/** What a provider needs of its API keys. */
export interface KeyedCredentials<T> {
  /** The part of the provider with its keys. */
  readonly part: Pick<Provider, 'keys'>
  /** Returns what was made of the key of a call. */
  readonly of: (call: Pick<Call, 'key'>) => T
}

const maxKeys = 100
const maxLabelLength = 64
const keyOptions = ['key', 'weight', 'label']

/**
 * Calls `make` with each key, once. `undefined` is no key. Throws `ConfigurationError` for an empty list, for keys that no
 * header can carry or that are there twice, and for invalid weights and labels. No message contains a key.
 */
export function keyedCredentials<T>(
  apiKey: ApiKeys | undefined,
  owner: string,
  make: (key: string | undefined) => T,
): KeyedCredentials<T> {
  if (!isList(apiKey)) {
    const made = make(apiKey === undefined ? undefined : validateSecret(apiKey, owner))
    return { part: {}, of: () => made }
  }
  const keys = readKeys(apiKey, owner)
  const made = new Map(keys.map(({ id, key }) => [id, make(key)]))
  const first = made.get(keys[0]!.id)!
  if (keys.length === 1) return { part: {}, of: () => first }
  return {
    part: { keys: keys.map(({ id, weight }): ProviderKey => ({ id, weight })) },
    of: ({ key }) => {
      if (key === undefined) return first
      const found = made.get(key)
      if (found === undefined)
        throw new TypeError(`${owner}: the call has a key that the provider does not have.`)
      return found
    },
  }
}

function isList(apiKey: unknown): apiKey is readonly unknown[] {
  return Array.isArray(apiKey)
}

interface NamedKey extends ProviderKey {
  readonly key: string
}

function readKeys(given: readonly unknown[], owner: string): readonly NamedKey[] {
  const source = `${owner}()`
  if (given.length === 0 || given.length > maxKeys) {
    const expected = `a key, or a list of 1 to ${maxKeys} keys`
    const received = `a list of ${given.length}`
    throw new ConfigurationError(source, [{ path: ['apiKey'], received, expected }])
  }
  const keys = Array.from(given, (entry, at) => readKey(entry, at, owner))
  for (const [at, { key, id }] of keys.entries()) {
    const earlier = keys.slice(0, at)
    const path = typeof given[at] === 'string' ? ['apiKey', at] : ['apiKey', at, 'key']
    if (earlier.some(other => other.key === key))
      throw new ConfigurationError(source, [hiddenIssue(path, key, 'each key once')])
    const other = 'a label that no other key has'
    if (earlier.some(each => each.id === id))
      throw new ConfigurationError(source, [hiddenIssue(['apiKey', at, 'label'], id, other)])
    const secret = 'a label without a key in it'
    if (keys.some(each => id.includes(each.key)))
      throw new ConfigurationError(source, [hiddenIssue(['apiKey', at, 'label'], id, secret)])
  }
  if (keys.every(({ weight }) => weight === 0))
    throw configurationError(source, ['apiKey', 0, 'weight'], 0, 'a weight above 0 for at least one key')
  return keys
}

function readKey(entry: unknown, at: number, owner: string): NamedKey {
  const source = `${owner}()`
  const path = ['apiKey', at]
  if (typeof entry === 'string')
    return { key: validateSecret(entry, owner, path), id: `key ${at + 1}`, weight: 1 }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new ConfigurationError(source, [hiddenIssue(path, entry, 'a key, or { key, weight, label }')])
  rejectUnknownOptions(owner, entry, keyOptions, path)
  const { key, weight = 1, label = `key ${at + 1}` } = entry as Readonly<Record<string, unknown>>
  if (!(typeof weight === 'number' && Number.isFinite(weight) && weight >= 0))
    throw configurationError(source, [...path, 'weight'], weight, 'a number from 0')
  if (!isLabel(label)) {
    const expected = `a text of one line and at most ${maxLabelLength} characters`
    throw new ConfigurationError(source, [hiddenIssue([...path, 'label'], label, expected)])
  }
  return { key: validateSecret(key, owner, [...path, 'key']), id: label, weight }
}

function isLabel(label: unknown): label is string {
  if (typeof label !== 'string' || label.trim() === '' || label.length > maxLabelLength) return false
  return !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(label)
}
