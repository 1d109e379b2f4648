import type { Draft } from '../contracts/draft.ts'
import type {
  BudgetWindow,
  LimitKind,
  LimitRuleData,
  Principal,
  Scope,
  Window,
} from '../contracts/principal.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { nanoDollars } from '../usage/nano-dollars.ts'

import { type KeyPart, keyText, scopeParts } from './counter-key.ts'
import { limitRule } from './rule.ts'
import { ruleText } from './rule-text.ts'

const windowsMs: Readonly<Record<Window, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** A rule with everything worked out that does not depend on a request. */
export interface PlannedRule {
  readonly kind: LimitKind
  /** As it is written. */
  readonly text: string
  /** Requests, tokens or requests at once; of a budget, billionths of a dollar. */
  readonly limit: number
  readonly limitText: string
  readonly per: Window | BudgetWindow | undefined
  /** Of requests and tokens. */
  readonly windowMs: number
  readonly shadow: boolean
  /** Whether a budget lets pass what has no price. */
  readonly allowsUnpriced: boolean
  readonly models: readonly string[] | undefined
  readonly scopes: readonly Scope[]
  /** What of the key is the same for all requests. */
  readonly head: string
  readonly parts: readonly KeyPart[]
}

/**
 * Works out rules. Throws `TypeError` for one that cannot be used.
 *
 * @param owner - whose rules they are: a function means something in its own list only.
 */
export function limitPlan(rules: readonly LimitRuleData[], owner: 'gateway' | 'principal'): PlannedRule[] {
  const functions: Scope[] = []
  const functionMark = (scope: Scope) => {
    if (!functions.includes(scope)) functions.push(scope)
    return `${owner}/${functions.indexOf(scope)}`
  }
  return rules.map(given => {
    const rule = ownMembers(limitRule(given))
    const { kind, limit, per, scopes = ['key'], models, shadow = false, unpriced } = rule
    return {
      kind,
      text: ruleText(rule),
      limit: kind === 'budget' ? Math.max(1, nanoDollars(limit)) : limit,
      limitText: String(limit),
      per,
      windowMs: kind === 'requests' || kind === 'tokens' ? windowsMs[per as Window] : 0,
      shadow,
      allowsUnpriced: unpriced === 'allow',
      models,
      scopes,
      head: headOf(shadow, kind, limit, per, models),
      parts: scopeParts(scopes, functionMark),
    }
  })
}

/**
 * The key of the count of a request; `undefined` where the rule does not concern it. A rate has its limit in the key:
 * another one counts anew. A sum and a lease have not: what was spent or is held stays so when the limit is changed.
 *
 * @param entry - of the model table, which counts by model go by.
 */
export function keyOf(
  rule: PlannedRule,
  principal: Principal,
  draft: Draft,
  entry: string,
): string | undefined {
  const { models, parts, head } = rule
  if (models !== undefined && !models.some(pattern => matchesPattern(pattern, draft.model))) return undefined
  let key = head
  for (const part of parts) {
    const text = part(principal, draft, entry)
    if (text === undefined) return undefined
    key += `:${text}`
  }
  return key
}

function headOf(
  shadow: boolean,
  kind: LimitKind,
  limit: number,
  per: string | undefined,
  models: readonly string[] | undefined,
): string {
  const what =
    kind === 'concurrent' ? kind : kind === 'budget' ? `${kind}/usd/${per}` : `${kind}/${limit}/${per}`
  const forModels = models === undefined ? '' : `:for=${[...new Set(models)].map(keyText).sort().join(',')}`
  return `${shadow ? 'shadow/' : ''}${what}${forModels}`
}
