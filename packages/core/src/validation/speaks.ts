import type { Provider, Target } from '../contracts/provider.ts'
import { memberOf } from '../primitives/own-members.ts'

/** Returns whether a target's vendor speaks a dialect, so that requests in it are passed on as they came. */
export function speaks({ provider, model }: Target, dialect: string): boolean {
  const spoken = memberOf(provider, 'speaks')
  if (spoken === undefined) return false
  const names: Provider['speaks'] = typeof spoken === 'function' ? spoken(model) : spoken
  return names.includes(dialect)
}
