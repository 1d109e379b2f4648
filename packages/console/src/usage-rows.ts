import { GatewayError } from '@sluice/core'
import type { UsageDimension, UsageQuery, UsageRow } from '@sluice/core/ledger'
import { validateUsageQuery } from '@sluice/core/store'
import { callStore } from './call-store.ts'

/** Sums of the ledger for `by`, `from` and `to` of a URL. Throws 400 for what is no such query, and 503. */
export async function usageRows(
  usage: (query: UsageQuery) => Promise<readonly UsageRow[]>,
  given: URLSearchParams,
): Promise<readonly UsageRow[]> {
  const by = given.get('by') ?? ''
  const [from, to] = [momentOf(given, 'from'), momentOf(given, 'to')]
  const query: UsageQuery = {
    by: by === '' ? [] : (by.split(',') as UsageDimension[]),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  try {
    validateUsageQuery(query)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new GatewayError('invalid_value', { message: error.message, param: 'by' })
  }
  return callStore('ledger', () => usage(query))
}

/** A form that is left empty sends an empty text. */
function momentOf(given: URLSearchParams, name: string): number | undefined {
  const text = given.get(name) ?? ''
  if (text === '') return undefined
  if (/^\d{1,16}$/.test(text)) return Number(text)
  throw new GatewayError('invalid_value', {
    message: `${name} must be whole milliseconds since 1970.`,
    param: name,
  })
}
