import type { ProviderKey } from '../contracts/provider.ts'
import { boundedLine } from '../primitives/safe-text.ts'

const maxKeys = 100
const maxIdLength = 64

/** The value that `areProviderKeys` accepts, for errors. */
export const expectedKeys = `1 to ${maxKeys} entries { id, weight }, each with an id of its own of one line and at most ${maxIdLength} characters, and a weight from 0, not all of them 0`

/** Returns whether a value is the `keys` of a provider. */
export function areProviderKeys(value: unknown): value is readonly ProviderKey[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxKeys) return false
  if (!value.every(isKey) || new Set(value.map(({ id }) => id)).size < value.length) return false
  return value.some(({ weight }) => weight > 0)
}

function isKey(value: unknown): value is ProviderKey {
  if (typeof value !== 'object' || value === null) return false
  const { id, weight } = value as Partial<Record<keyof ProviderKey, unknown>>
  const isId = typeof id === 'string' && id !== '' && id.length <= maxIdLength && boundedLine(id) === id
  return isId && typeof weight === 'number' && Number.isFinite(weight) && weight >= 0
}
