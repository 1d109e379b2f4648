import type { Target } from '../contracts/provider.ts'

/** Whether two places are one: what else is said of them does not matter. */
export function isSamePlace(one: Target, other: Target): boolean {
  return one.provider === other.provider && one.model === other.model
}
