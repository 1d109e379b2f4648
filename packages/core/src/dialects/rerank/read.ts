import type { ReadRules } from '../../contracts/dialect.ts'
import type { Draft } from '../../contracts/draft.ts'
import type { RerankRequest } from '../../contracts/rerank.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { withoutNulls } from '../../protocol/without-nulls.ts'
import { checkFields } from '../../validation/check-fields.ts'
import { rerankFields } from './schema.ts'

/** The fields of the protocol, once they are valid. */
interface ValidFields {
  readonly query: string
  readonly documents: readonly (string | { readonly text: string })[]
  readonly top_n?: number
}

/**
 * Validates a request to rank documents. Reports the first error in the order of its checks. Never coerces values. Unknown fields
 * are kept in `extra`, for vendors that know them; `null` means absent.
 *
 * @throws GatewayError 400.
 */
export function readRerank({ dialect, model, body }: Draft, rules: ReadRules): RerankRequest {
  const fields = withoutNulls(body)
  for (const name of ['query', 'documents']) if (fields[name] === undefined) throw missing(name)
  if (rules.unknownParameters === 'reject') refuseUnknown(Object.keys(body))
  const unknown = checkFields(fields, rerankFields())
  const { query, documents: given, top_n: topN } = fields as unknown as ValidFields
  const documents = given.map(each => (typeof each === 'string' ? each : each.text))
  // Texts are not copied: the same query is in the list many times.
  const inputs = documents.flatMap(text => [query, text])
  // Defined one by one, as a name may be `__proto__`.
  const extra =
    unknown && (Object.fromEntries(unknown.map(name => [name, fields[name]])) as unknown as JsonObject)
  return { dialect, model, body, query, documents, topN, inputs, extra }
}

function missing(name: string): GatewayError {
  const message = `Missing required parameter: '${name}'.`
  return new GatewayError('missing_required_parameter', { message, param: name })
}

function refuseUnknown(keys: readonly string[]): void {
  const known = rerankFields()
  const unknown = keys.find(key => !known.has(key))
  if (unknown === undefined) return
  throw new GatewayError('unknown_parameter', {
    message: `Unknown parameter: '${shorten(unknown)}'.`,
    param: shorten(unknown),
  })
}
