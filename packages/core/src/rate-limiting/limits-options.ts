import type { Observer } from '../contracts/events.ts'
import type { LimitStore } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import type { StoreFailurePolicy } from './guarded-store-options.ts'

/** How requests wait for room. */
export interface WaitOptions {
  /** Longest wait of a request, in milliseconds, at most an hour. */
  readonly maxMs: number
  /** How many requests of one principal may wait. */
  readonly maxQueued: number
}

export interface LimitsOptions {
  /** Where counts are kept. Default: `memoryStore()`, in this process. */
  readonly store?: LimitStore
  /**
   * What becomes of rules while the store does not answer, all alike or by their kinds. Default: `local`, and `closed`
   * for a budget.
   */
  readonly onStoreFailure?: StoreFailurePolicy | Readonly<Partial<Record<LimitKind, StoreFailurePolicy>>>
  /** How many processes share the store: with `local`, each counts its share of a limit. Default 4. */
  readonly instances?: number
  /** How long one operation of the store may take, in milliseconds. Default 50. */
  readonly storeTimeoutMs?: number
  /** How long what a request holds is held when its process has died, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /**
   * The completion tokens of one choice that are reserved, and sent upstream as the bound, for a request that names no
   * bound, where a rule of tokens or a budget concerns it. Default 4,096.
   */
  readonly maxOutputTokens?: number
  /** Lets requests wait for room. Default: they are refused at once. */
  readonly wait?: WaitOptions
  /** Whether the headers `RateLimit` and `RateLimit-Policy` are sent too. Default `false`. */
  readonly ietfHeaders?: boolean
  /** Is told when the store fails, and when it works again. */
  readonly observe?: Observer
  /** Milliseconds since 1970, for the store that is made where none is given. Default: the machine's clocks. */
  readonly now?: () => number
  /** 32 fresh random hexadecimal digits. Default from `crypto.getRandomValues`. */
  readonly id?: () => string
}

/** What stands for options that are not given. */
export const limitDefaults = {
  instances: 4,
  storeTimeoutMs: 50,
  leaseMs: 30_000,
  maxOutputTokens: 4_096,
  ietfHeaders: false,
} as const satisfies LimitsOptions

/** One policy for each kind of rule. */
export function failurePolicies(
  given: LimitsOptions['onStoreFailure'],
): Readonly<Record<LimitKind, StoreFailurePolicy>> {
  const defaults = { requests: 'local', tokens: 'local', concurrent: 'local', budget: 'closed' } as const
  if (given === undefined) return defaults
  if (typeof given === 'string') return { requests: given, tokens: given, concurrent: given, budget: given }
  const set = Object.entries(given).filter(([, policy]) => policy !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}
