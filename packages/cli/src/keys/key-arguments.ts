import type { LimitRuleData } from '@sluice/core'
import { limitRule } from '@sluice/core/limits'
import { CommandError } from '../command.ts'
import { printable } from '../command-line/printable.ts'

const expectedLimit = 'expected requests:60/minute, tokens:100000/day, concurrent:4 or budget:5usd/month'

/** A rule as it is typed: `requests:60/minute`. Throws `CommandError` for what is none. */
export function limitOf(text: string): LimitRuleData {
  const [, kind, amount = '', currency, per] =
    /^(requests|tokens|concurrent|budget):(\d+(?:\.\d+)?)(usd)?(?:\/([a-z]+))?$/.exec(text) ?? []
  if (kind === undefined || (kind === 'budget') !== (currency !== undefined)) throw limitFault(text)
  try {
    const rule = limitRule({
      kind,
      limit: Number(amount),
      ...(per === undefined ? {} : { per }),
      ...(currency === undefined ? {} : { currency }),
    } as LimitRuleData)
    return { ...rule }
  } catch (error) {
    throw limitFault(text, error)
  }
}

function limitFault(text: string, cause?: unknown): CommandError {
  const why = cause instanceof TypeError ? ` ${cause.message}` : ''
  return new CommandError(`--limit is '${printable(text)}', ${expectedLimit}.${why}`, 2)
}

/** Tags as they are typed: `team=search`. Throws `CommandError` for what is none, and for a name that comes twice. */
export function tagsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const tags = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1)
      throw new CommandError(
        `--tag is '${printable(text)}', expected a name and a value, such as team=search.`,
        2,
      )
    const name = text.slice(0, at)
    if (tags.has(name)) throw new CommandError(`--tag ${printable(name)} is given twice. Pass it once.`, 2)
    tags.set(name, text.slice(at + 1))
  }
  return Object.fromEntries(tags)
}
