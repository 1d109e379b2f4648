import type { Draft } from '../contracts/draft.ts'
import type { LeaseCounter, RateCounter } from '../contracts/limit-store.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import type { Operation } from '../contracts/outline.ts'
import type { Principal } from '../contracts/principal.ts'
import { type CompiledRule, keyOf, tagText } from './compiled-rules.ts'

/** One count that applies to a request, with its strictest rule. */
export interface PlannedCount {
  readonly key: string
  readonly rule: CompiledRule
  /** The counter of every request; `undefined` if it depends on the request. */
  readonly counter: RateCounter | LeaseCounter | undefined
}

/** Cached counts of a caller, with the inputs other than its id. */
interface CachedCounts {
  readonly source: string | undefined
  readonly operation: Operation
  /** `undefined` if no rule depends on it. */
  readonly model: string | undefined
  /** The entry of the model table; empty if no rule counts by it. */
  readonly entry: string
  readonly tags: readonly (string | undefined)[]
  readonly counts: readonly PlannedCount[]
}

/** Beyond this the cache is cleared: computing an entry takes microseconds. */
const maxCallers = 10_000
const maxPerCaller = 4
/** Longer names are not cached, because callers may control them. */
const maxNameLength = 200

/** Resolves the counts of requests by a list of rules. Caches them, unless a scope is a function. */
export class CounterResolver {
  readonly #rules: readonly CompiledRule[]
  readonly #tags: readonly string[]
  /** Whether a rule depends on what no list can hold: a function, or the end user. */
  readonly #asksFunctions: boolean
  readonly #asksModel: boolean
  readonly #asksEntry: boolean
  /** By id of the caller. */
  readonly #known = new Map<string, CachedCounts[]>()
  #size = 0

  constructor(rules: readonly CompiledRule[]) {
    const scopes = rules.flatMap(rule => rule.scopes)
    this.#rules = rules
    this.#asksFunctions = scopes.some(scope => typeof scope === 'function' || scope === 'user')
    this.#asksModel = rules.some(({ models }) => models !== undefined)
    this.#asksEntry = scopes.includes('model')
    const names = scopes.filter(scope => typeof scope === 'string' && scope.startsWith('tag:')) as string[]
    this.#tags = [...new Set(names)].map(name => name.slice('tag:'.length))
  }

  of(principal: Principal, draft: Draft, context: Pick<LimitContext, 'entry'>): readonly PlannedCount[] {
    const { operation } = draft
    const entry = this.#asksEntry ? context.entry : ''
    if (this.#asksFunctions) return countsOf(this.#rules, principal, draft, entry)
    const model = this.#asksModel ? draft.model : undefined
    const ofCaller = this.#known.get(principal.id)
    if (ofCaller !== undefined) {
      for (const known of ofCaller)
        if (known.operation === operation && this.#isOf(known, principal, model, entry)) return known.counts
    }
    const counts = countsOf(this.#rules, principal, draft, entry)
    const tags = this.#tags.map(tag => tagText(principal, tag))
    if (
      isShort(principal.id) &&
      isShort(principal.source) &&
      isShort(model) &&
      isShort(entry) &&
      tags.every(isShort)
    ) {
      this.#remember(principal.id, { source: principal.source, operation, model, entry, tags, counts })
    }
    return counts
  }

  #isOf(known: CachedCounts, principal: Principal, model: string | undefined, entry: string): boolean {
    if (known.source !== principal.source || known.model !== model || known.entry !== entry) return false
    const { tags } = known
    for (let at = 0; at < tags.length; at++) {
      if (tags[at] !== tagText(principal, this.#tags[at] as string)) return false
    }
    return true
  }

  #remember(id: string, known: CachedCounts): void {
    if (this.#size >= maxCallers) {
      this.#known.clear()
      this.#size = 0
    }
    const ofCaller = this.#known.get(id)
    if (ofCaller === undefined) this.#known.set(id, [known])
    else if (ofCaller.length < maxPerCaller) ofCaller.push(known)
    else {
      ofCaller.shift()
      ofCaller.push(known)
      return
    }
    this.#size++
  }
}

function isShort(text: string | undefined): boolean {
  return text === undefined || text.length <= maxNameLength
}

/** Merges rules with the same count: the lowest limit applies, and unpriced models pass only if all rules allow them. */
function countsOf(
  rules: readonly CompiledRule[],
  principal: Principal,
  draft: Draft,
  entry: string,
): readonly PlannedCount[] {
  const counts = new Map<string, PlannedCount>()
  for (const rule of rules) {
    const key = keyOf(rule, principal, draft, entry)
    if (key === undefined) continue
    const same = counts.get(key)
    const least = same === undefined || rule.limit < same.rule.limit ? rule : same.rule
    const allowsUnpriced = rule.allowsUnpriced && same?.rule.allowsUnpriced !== false
    if (same?.rule === least && least.allowsUnpriced === allowsUnpriced) continue
    const strictest = least.allowsUnpriced === allowsUnpriced ? least : { ...least, allowsUnpriced }
    counts.set(key, { key, rule: strictest, counter: counterOf(key, strictest) })
  }
  return [...counts.values()]
}

function counterOf(key: string, rule: CompiledRule): RateCounter | LeaseCounter | undefined {
  const { kind, limit, dryRun, windowMs } = rule
  if (kind === 'concurrent') return { kind: 'lease', key, limit, dryRun }
  if (kind === 'requests') return { kind: 'rate', key, limit, dryRun, windowMs, amount: 1 }
  return undefined
}
