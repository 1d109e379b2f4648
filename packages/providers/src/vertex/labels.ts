import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'
import { isFields } from '../wire/json-value.ts'

const key = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const value = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u
const most = 64

/**
 * `metadata` as the labels of a request, by which Google Cloud breaks down its bills. Pairs that make no label
 * are left out and told of, without saying which. Labels that the caller gave as such go before them.
 */
export function labelsOf(
  { metadata, labels: given }: ChatRequest,
  adjusting: Adjusting,
): { readonly labels?: unknown } {
  if (metadata === undefined) return given === undefined || given === null ? {} : { labels: given }
  const pairs = Object.entries(metadata)
  const legal = pairs.filter(([name, text]) => key.test(name) && value.test(text)).slice(0, most)
  if (legal.length < pairs.length) {
    adjusting.drop('metadata', `${pairs.length - legal.length} of ${pairs.length} make no label`)
  }
  const labels = { ...Object.fromEntries(legal), ...(isFields(given) ? given : {}) }
  return Object.keys(labels).length > 0 ? { labels } : {}
}
