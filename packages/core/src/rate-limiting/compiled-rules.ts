import type { Draft } from '../contracts/draft.ts'
import type { Operation } from '../contracts/outline.ts'
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
import { allOperations } from '../usage/operations.ts'
import { nanoDollars } from '../usage/reservation.ts'
import type { EndUsers, EndUsersByWindow } from './end-users.ts'
import { limitRule } from './rule.ts'

const windowsMs: Readonly<Record<Window, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

const defaultOperations: readonly Operation[] = allOperations.filter(each => each !== 'countTokens')

/** A rule with everything precomputed that does not depend on a request. */
export interface CompiledRule {
  readonly kind: LimitKind
  /** As its builders write it: see `ruleText`. */
  readonly text: string
  /** Requests, tokens or concurrent requests; for a budget, billionths of a dollar. */
  readonly limit: number
  readonly per: Window | BudgetWindow | undefined
  /** For requests and tokens, in ms; otherwise 0. */
  readonly windowMs: number
  readonly dryRun: boolean
  /** Whether a budget admits models without a price. */
  readonly allowsUnpriced: boolean
  readonly models: readonly string[] | undefined
  readonly operations: readonly Operation[]
  readonly scopes: readonly Scope[]
  /** The prefix of the key, the same for all requests. */
  readonly head: string
  readonly parts: readonly KeyPart[]
}

/**
 * Compiles rules. Throws `TypeError` for an invalid rule.
 *
 * @param owner - the owner of the list: a scope function is identified by its position in its own list.
 * @param users - which end users have their own counters, for rules by `user`. It outlives the rules of a principal.
 */
export function compileRules(
  rules: readonly LimitRuleData[],
  owner: 'gateway' | 'principal',
  users: EndUsersByWindow,
): CompiledRule[] {
  const functions: Scope[] = []
  const functionMark = (scope: Scope) => {
    if (!functions.includes(scope)) functions.push(scope)
    return `${owner}/${functions.indexOf(scope)}`
  }
  return rules.map(given => {
    const rule = ownMembers(limitRule(given))
    const { kind, limit, per, scopes = ['key'], models, operations = defaultOperations, unpriced } = rule
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
      operations,
      scopes,
      head: headOf(dryRun, kind, limit, per, models, operations),
      parts: scopeParts(scopes, functionMark, () => users.of(per)),
    }
  })
}

/**
 * Returns the key of the count of a request, or `undefined` if the rule does not apply. The key of a rate contains its limit,
 * so a changed limit starts a new count. A sum and a lease keep their count when the limit changes.
 *
 * @param entry - the entry of the model table, which identifies the model in the key.
 */
export function keyOf(
  rule: CompiledRule,
  principal: Principal,
  draft: Draft,
  entry: string,
): string | undefined {
  const { models, operations, parts, head } = rule
  if (!operations.includes(draft.operation)) return undefined
  if (models !== undefined && !models.some(pattern => matchesPattern(pattern, draft.model))) return undefined
  let key = head
  for (const part of parts) {
    const text = part(principal, draft, entry)
    if (text === undefined) return undefined
    key += `:${text}`
  }
  return key
}

const defaultNames = [...defaultOperations].sort().join()

function headOf(
  dryRun: boolean,
  kind: LimitKind,
  limit: number,
  per: string | undefined,
  models: readonly string[] | undefined,
  operations: readonly Operation[],
): string {
  const what =
    kind === 'concurrent' ? kind : kind === 'budget' ? `${kind}/usd/${per}` : `${kind}/${limit}/${per}`
  const forModels = models === undefined ? '' : `:for=${[...new Set(models)].map(keyText).sort().join(',')}`
  const names = [...new Set(operations)].sort()
  const forOperations = names.join() === defaultNames ? '' : `:op=${names.join(',')}`
  return `${dryRun ? 'dry-run/' : ''}${what}${forModels}${forOperations}`
}

/** Returns a part of a key, or `undefined` if the rule does not apply to the request. */
type KeyPart = (principal: Principal, draft: Draft, entry: string) => string | undefined

/** Longer values are hashed with SHA-256, because callers may control them. */
const maxKeyText = 200

/**
 * Encodes a value as letters, digits and `_ . @ -`, with `~` and four hexadecimal digits for any other. Different values
 * have different texts, and none contains a separator of a key.
 */
export function keyText(value: string): string {
  if (value.length <= maxKeyText && /^[\w.@-]*$/.test(value)) return value
  const text = value.replace(/[^\w.@-]/g, unit => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return text.length <= maxKeyText ? text : `#${sha256Hex(text)}`
}

/**
 * Returns the parts of the key that say who shares the count, sorted, so that the order of scopes does not matter. A function
 * is identified by its index among the functions of the same list of rules.
 */
function scopeParts(
  scopes: readonly Scope[],
  functionMark: (scope: Scope) => string,
  endUsers: () => EndUsers,
): KeyPart[] {
  const byMark = new Map<string, KeyPart>()
  for (const scope of scopes) {
    if (typeof scope === 'function') {
      const mark = functionMark(scope)
      byMark.set(mark, (principal, draft) => keyPart(mark, scopeName(scope(principal, draft))))
    } else if (scope === 'key') byMark.set('key', ofPrincipal)
    else if (scope === 'user') {
      // A name is one of its principal: others may use the same.
      byMark.set('key', ofPrincipal)
      const users = endUsers()
      byMark.set('user', (principal, draft) => userPart(users.counterOf(principal, draft)))
    } else if (scope === 'model') byMark.set('model', (_principal, _draft, entry) => keyPart('model', entry))
    else if (scope.startsWith('tag:')) {
      const tag = scope.slice('tag:'.length)
      const mark = `tag/${keyText(tag)}`
      byMark.set(mark, principal => keyPart(mark, tagText(principal, tag)) ?? mark)
    }
    // `gateway` adds nothing: one count for everybody.
  }
  return [...byMark].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part)
}

const ofPrincipal: KeyPart = principal => keyPart('key', principalKey(principal))

/** Of a counter as `EndUsers` names it. */
function userPart(counter: string): string {
  return counter.startsWith('=') ? `user=${keyText(counter.slice(1))}` : `user${counter}`
}

function keyPart(mark: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${mark}=${keyText(value)}`
}

export function tagText(principal: Principal, tag: string): string | undefined {
  const value: unknown = tagOf(principal, tag)
  return value === undefined || value === null ? undefined : String(value)
}

function scopeName(name: unknown): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  // A scope is synchronous, so a promise is an error. Its rejection is handled here.
  if (typeof name === 'object' && name !== null) void Promise.resolve(name).catch(() => {})
  throw new TypeError(
    `The scope of a limit returned ${typeof name === 'object' ? 'an object' : String(name)}, expected a string, or undefined if the rule does not apply to the request.`,
  )
}

/**
 * Returns a rule as its builders write it, without `dryRun`: `requests(60).per('minute').by('gateway')`. A scope function is
 * written as `function`.
 */
export function ruleText(rule: LimitRuleData): string {
  const { kind, limit, per, currency, unpriced, scopes, models, operations } = rule
  const amount = currency === undefined ? `${limit}` : `${limit}, '${currency}'`
  const window = per === undefined ? '' : `.per('${per}')`
  const free = unpriced === 'allow' ? '.allowUnpriced()' : ''
  return `${kind}(${amount})${window}${free}${call('by', scopes)}${call('forModels', models)}${call('forOperations', operations)}`
}

function call(name: string, values: LimitRuleData['scopes' | 'models' | 'operations']): string {
  if (values === undefined) return ''
  const texts = values.map(value => (typeof value === 'function' ? 'function' : `'${value}'`))
  return `.${name}(${texts.join(', ')})`
}
