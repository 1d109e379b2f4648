import { type LimitRuleData, limitRule } from '@sluice/core'
import { CommandFault } from '../command.ts'
import { shown } from '../command-line/shown.ts'

const expected = 'expected requests:60/minute, tokens:100000/day, concurrent:4 or budget:5usd/month'

/** A rule as it is typed: `requests:60/minute`. Throws `CommandFault` for what is none. */
export function limitOf(text: string): LimitRuleData {
  const [, kind, amount = '', currency, per] =
    /^(requests|tokens|concurrent|budget):(\d+(?:\.\d+)?)(usd)?(?:\/([a-z]+))?$/.exec(text) ?? []
  if (kind === undefined || (kind === 'budget') !== (currency !== undefined)) throw fault(text)
  try {
    const rule = limitRule({
      kind,
      limit: Number(amount),
      ...(per === undefined ? {} : { per }),
      ...(currency === undefined ? {} : { currency }),
    } as LimitRuleData)
    return { ...rule }
  } catch (error) {
    throw fault(text, error)
  }
}

function fault(text: string, cause?: unknown): CommandFault {
  const why = cause instanceof TypeError ? ` ${cause.message}` : ''
  return new CommandFault(`--limit is '${shown(text)}', ${expected}.${why}`, 2)
}
