import type { DialectModels, ListedModel } from '../../contracts/dialect.ts'
import { GatewayError } from '../../errors/errors.ts'
import { rfc3339 } from './rfc3339.ts'
import { versionHeader } from './wire-names.ts'

const defaultLimit = 20
const maxLimit = 1_000

/** `GET /models` for clients of the Messages API: those that send its version. The list has pages. */
export const messagesModels: DialectModels = {
  accepts: headers => headers.get(versionHeader) !== null,
  list(models, query) {
    const { page, hasMore } = pageOf(models, query)
    return {
      data: page.map(modelObject),
      has_more: hasMore,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    }
  },
  show: modelObject,
}

/** Returns a page: the models after one, those before one, or the first. */
function pageOf(
  models: readonly ListedModel[],
  query: URLSearchParams,
): { readonly page: readonly ListedModel[]; readonly hasMore: boolean } {
  const limit = limitOf(query)
  const after = query.get('after_id')
  const before = query.get('before_id')
  if (before !== null && before !== '') {
    if (after !== null && after !== '') {
      throw new GatewayError('invalid_parameter_combination', {
        message: 'Got after_id and before_id, expected at most one of them.',
        param: 'before_id',
      })
    }
    const end = indexOf(models, before, 'before_id')
    const start = Math.max(0, end - limit)
    return { page: models.slice(start, end), hasMore: start > 0 }
  }
  const start = after === null || after === '' ? 0 : indexOf(models, after, 'after_id') + 1
  return { page: models.slice(start, start + limit), hasMore: start + limit < models.length }
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit')
  if (text === null || text === '') return defaultLimit
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw new GatewayError('invalid_value', {
    message: `Expected a whole number from 1 to ${maxLimit}.`,
    param: 'limit',
  })
}

function indexOf(models: readonly ListedModel[], id: string, param: string): number {
  const index = models.findIndex(model => model.id === id)
  if (index !== -1) return index
  throw new GatewayError('invalid_value', { message: 'There is no model with this id.', param })
}

function modelObject({ id, created, contextTokens, maxOutputTokens }: ListedModel): object {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: rfc3339(created),
    ...(contextTokens === undefined ? {} : { max_input_tokens: contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
  }
}
