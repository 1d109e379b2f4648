import type { Target } from '../contracts/provider.ts'

/** Whether a value is what a provider makes of a model's name. */
export function isTarget(value: unknown): value is Target {
  if (typeof value !== 'object' || value === null) return false
  const { provider, model } = value as Partial<Target>
  return (
    typeof model === 'string' &&
    typeof provider?.encode === 'function' &&
    typeof provider.decode === 'function'
  )
}

/** Whether two places are one: what else is said of them does not matter. */
export function isSameTarget(one: Target, other: Target): boolean {
  return one.provider === other.provider && one.model === other.model
}
