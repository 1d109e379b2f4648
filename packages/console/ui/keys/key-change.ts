import type { KeyChange, KeyRow } from '../../src/api.ts'
import { type KeyFormValues, limitOf, modelsOf, momentOf, tagsOf } from './key-form.ts'

/** A key as it would be typed. */
export function toFormValues({ name, models, tags, expiresAt, limits }: KeyRow): KeyFormValues {
  return {
    name,
    models: (models ?? []).join(', '),
    tags: Object.entries(tags ?? {})
      .map(([tag, value]) => `${tag}=${value}`)
      .join(', '),
    expiresAt: expiresAt === null ? '' : localMinute(expiresAt),
    limits: (limits ?? []).map(rule => ({
      rule,
      kind: rule.kind,
      limit: String(rule.limit),
      per: rule.per ?? '',
    })),
  }
}

/**
 * What has to be asked for so that a key becomes what was typed: of `before`, from which the typing began, only what is
 * another. What was emptied becomes `null`. Throws `Error` that says what cannot be read, or not be told apart here.
 */
export function keyChange(row: KeyRow, before: KeyFormValues, typed: KeyFormValues): KeyChange {
  return {
    ...(typed.name === before.name ? {} : { name: typed.name.trim() }),
    ...(typed.models === before.models ? {} : { models: modelsChange(row, before, typed) }),
    ...(typed.tags === before.tags ? {} : { tags: tagsChange(row, before, typed) }),
    ...(typed.limits === before.limits
      ? {}
      : { limits: typed.limits.length === 0 ? null : typed.limits.map(limitOf) }),
    ...(typed.expiresAt === before.expiresAt
      ? {}
      : { expiresAt: typed.expiresAt === '' ? null : momentOf(typed.expiresAt) }),
  }
}

function modelsChange(
  { models }: KeyRow,
  before: KeyFormValues,
  typed: KeyFormValues,
): readonly string[] | null {
  if (modelsOf(before.models).join('\n') !== (models ?? []).join('\n')) throw ambiguous('models')
  const next = modelsOf(typed.models)
  return next.length === 0 ? null : next
}

function tagsChange(
  { tags }: KeyRow,
  before: KeyFormValues,
  typed: KeyFormValues,
): Readonly<Record<string, string>> | null {
  if (!isSame(tagsRead(before.tags), Object.entries(tags ?? {}))) throw ambiguous('tags')
  const next = tagsOf(typed.tags)
  return next.length === 0 ? null : Object.fromEntries(next)
}

function tagsRead(text: string): ReturnType<typeof tagsOf> {
  try {
    return tagsOf(text)
  } catch {
    return []
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function ambiguous(what: string): Error {
  return new Error(
    `The ${what} of this key contain commas or spaces, which this form uses as separators. Change them with the key store API.`,
  )
}

/** As `datetime-local` wants it, in the reader's own time. */
export function localMinute(at: number): string {
  const moment = new Date(at)
  return new Date(at - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)
}
