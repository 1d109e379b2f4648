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
import { principalKey, tagOf } from '../primitives/principal-key.ts'
import { sha256Hex } from '../primitives/sha256.ts'
import { nanoDollars } from '../usage/reservation.ts'
import { limitRule } from './rule.ts'

const windowsMs: Readonly<Record<Window, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** A rule with everything worked out that does not depend on a request. */
export interface CompiledRule {
  readonly kind: LimitKind
  /** As it is written. */
  readonly text: string
  /** Requests, tokens or requests at once; of a budget, billionths of a dollar. */
  readonly limit: number
  readonly per: Window | BudgetWindow | undefined
  /** Of requests and tokens. */
  readonly windowMs: number
  readonly dryRun: boolean
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
export function compileRules(
  rules: readonly LimitRuleData[],
  owner: 'gateway' | 'principal',
): CompiledRule[] {
  const functions: Scope[] = []
  const functionMark = (scope: Scope) => {
    if (!functions.includes(scope)) functions.push(scope)
    return `${owner}/${functions.indexOf(scope)}`
  }
  return rules.map(given => {
    const rule = ownMembers(limitRule(given))
    const { kind, limit, per, scopes = ['key'], models, unpriced } = rule
    const dryRun = rule.mode === 'dryRun'
    return {
      kind,
      text: ruleText(rule),
      limit: kind === 'budget' ? Math.max(1, nanoDollars(limit)) : limit,
      per,
      windowMs: kind === 'requests' || kind === 'tokens' ? windowsMs[per as Window] : 0,
      dryRun,
      allowsUnpriced: unpriced === 'allow',
      models,
      scopes,
      head: headOf(dryRun, kind, limit, per, models),
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
  rule: CompiledRule,
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
  dryRun: boolean,
  kind: LimitKind,
  limit: number,
  per: string | undefined,
  models: readonly string[] | undefined,
): string {
  const what =
    kind === 'concurrent' ? kind : kind === 'budget' ? `${kind}/usd/${per}` : `${kind}/${limit}/${per}`
  const forModels = models === undefined ? '' : `:for=${[...new Set(models)].map(keyText).sort().join(',')}`
  return `${dryRun ? 'dry-run/' : ''}${what}${forModels}`
}

/** A part of the name of a count; `undefined` where the rule does not concern the request. */
type KeyPart = (principal: Principal, draft: Draft, entry: string) => string | undefined

/** Longer values are known by their SHA-256: a caller may have a hand in them. */
const longest = 200

/**
 * A value in letters, digits and `_ . @ -`, and `~` with four hexadecimal digits for any other. No two values come to
 * the same text, and none to one with a mark that stands between the parts of a key.
 */
export function keyText(value: string): string {
  if (value.length <= longest && /^[\w.@-]*$/.test(value)) return value
  const text = value.replace(/[^\w.@-]/g, unit => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return text.length <= longest ? text : `#${sha256Hex(text)}`
}

/**
 * The parts of the key that say who shares the count, in one order however the rule names them. A function is known by
 * its place among the functions of the same list of rules.
 */
function scopeParts(scopes: readonly Scope[], functionMark: (scope: Scope) => string): KeyPart[] {
  const byMark = new Map<string, KeyPart>()
  for (const scope of scopes) {
    if (typeof scope === 'function') {
      const mark = functionMark(scope)
      byMark.set(mark, (principal, draft) => named(mark, nameOf(scope(principal, draft))))
    } else if (scope === 'key') byMark.set('key', principal => named('key', principalKey(principal)))
    else if (scope === 'model') byMark.set('model', (_principal, _draft, entry) => named('model', entry))
    else if (scope.startsWith('tag:')) {
      const tag = scope.slice('tag:'.length)
      const mark = `tag/${keyText(tag)}`
      byMark.set(mark, principal => named(mark, tagText(principal, tag)) ?? mark)
    }
    // `gateway` adds nothing: one count for everybody.
  }
  return [...byMark].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part)
}

function named(mark: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${mark}=${keyText(value)}`
}

export function tagText(principal: Principal, tag: string): string | undefined {
  const value: unknown = tagOf(principal, tag)
  return value === undefined || value === null ? undefined : String(value)
}

function nameOf(name: unknown): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  // Nobody waits for it: what it comes to is no name in time.
  if (typeof name === 'object' && name !== null) void Promise.resolve(name).catch(() => {})
  throw new TypeError(
    `The scope of a limit gave ${typeof name === 'object' ? 'an object' : String(name)}, expected a text, or undefined where the rule does not concern the request.`,
  )
}

/**
 * A rule as its builders write it, but for `asShadow`: `requests(60).per('minute').by('gateway')`. A scope that is a
 * function has no text of its own.
 */
export function ruleText({ kind, limit, per, currency, unpriced, scopes, models }: LimitRuleData): string {
  const amount = currency === undefined ? `${limit}` : `${limit}, '${currency}'`
  const window = per === undefined ? '' : `.per('${per}')`
  const free = unpriced === 'allow' ? '.allowUnpriced()' : ''
  return `${kind}(${amount})${window}${free}${call('by', scopes)}${call('forModels', models)}`
}

function call(name: string, values: LimitRuleData['scopes'] | LimitRuleData['models']): string {
  if (values === undefined) return ''
  const texts = values.map(value => (typeof value === 'function' ? 'function' : `'${value}'`))
  return `.${name}(${texts.join(', ')})`
}
