import type { LimitKind, LimitRuleData } from '@sluice/core'
import type { KeyForm } from '../../src/api.ts'

/** A limit as it is typed. */
export interface LimitFormValues {
  /** What it was made of, where it was there before: it may hold more than can be typed. */
  readonly rule?: LimitRuleData
  readonly kind: LimitKind
  readonly limit: string
  readonly per: string
}

/** A key as it is typed. */
export interface KeyFormValues {
  readonly name: string
  /** Patterns, with commas or spaces between; empty: all models. */
  readonly models: string
  /** `team=search, plan=gold` */
  readonly tags: string
  /** As `datetime-local` gives it, or `+` with the milliseconds from when it is sent; empty: never. */
  readonly expiresAt: string
  readonly limits: readonly LimitFormValues[]
}

export const emptyKey: KeyFormValues = { name: '', models: '', tags: '', expiresAt: '', limits: [] }

/** What is asked for with what was typed. Throws `Error` that says what cannot be read. */
export function keyForm(typed: KeyFormValues): KeyForm {
  const models = modelsOf(typed.models)
  const tags = tagsOf(typed.tags)
  return {
    name: typed.name.trim(),
    ...(models.length === 0 ? {} : { models }),
    ...(tags.length === 0 ? {} : { tags: Object.fromEntries(tags) }),
    ...(typed.limits.length === 0 ? {} : { limits: typed.limits.map(limitOf) }),
    ...(typed.expiresAt === '' ? {} : { expiresAt: momentOf(typed.expiresAt) }),
  }
}

/** The patterns that were typed. */
export function modelsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(pattern => pattern !== '')
}

/** The tags that were typed. Throws `Error` for one without a value. */
export function tagsOf(text: string): readonly (readonly [string, string])[] {
  return text
    .split(/[,\n]+/)
    .map(tag => tag.trim())
    .filter(tag => tag !== '')
    .map(tag => {
      const at = tag.indexOf('=')
      if (at < 1) throw new Error(`The tag ${tag} has no value: write it as team=search.`)
      return [tag.slice(0, at).trim(), tag.slice(at + 1).trim()] as const
    })
}

/** The rule that was typed, with what its last form held besides. Throws `Error` for what is no number above 0. */
export function limitOf({ rule, kind, limit, per }: LimitFormValues): LimitRuleData {
  const number = Number(limit)
  if (limit.trim() === '' || !Number.isFinite(number) || number <= 0) {
    throw new Error(`A limit must be a number above 0, but one is ${limit.trim() === '' ? 'empty' : limit}.`)
  }
  const { kind: _kind, limit: _limit, per: _per, currency: _currency, ...more } = rule ?? {}
  if (kind === 'concurrent') return { kind, limit: number, ...more }
  const window = per as NonNullable<LimitRuleData['per']>
  return kind === 'budget'
    ? { kind, limit: number, per: window, currency: 'usd', ...more }
    : { kind, limit: number, per: window, ...more }
}

/** Milliseconds since 1970 of a time that was typed, or of a span from now. Throws `Error` for what is none. */
export function momentOf(text: string): number {
  if (/^\+\d+$/.test(text)) return Date.now() + Number(text)
  const at = new Date(text).getTime()
  if (Number.isNaN(at)) throw new Error(`${text} is not a valid date.`)
  return at
}
