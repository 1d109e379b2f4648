import type { Target } from '../contracts/provider.ts'

/** Returns whether a value is a target. */
export function isTarget(value: unknown): value is Target {
  if (typeof value !== 'object' || value === null) return false
  const { provider, model } = value as Partial<Target>
  return (
    typeof model === 'string' &&
    typeof provider?.encode === 'function' &&
    typeof provider.decode === 'function'
  )
}

/** Returns whether two targets have the same provider and model, whatever their settings. */
export function isSameTarget(one: Target, other: Target): boolean {
  return one.provider === other.provider && one.model === other.model
}
