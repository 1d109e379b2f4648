import { GatewayError } from '@sluice/core'

/** What stands behind `?` in a URL. Throws 400 for another name than these, and for one that comes twice. */
export function queryOf(url: string, names: readonly string[]): URLSearchParams {
  const query = new URL(url).searchParams
  for (const name of query.keys()) {
    if (!names.includes(name)) {
      throw new GatewayError('unknown_parameter', {
        message: `The query has a name that is not known here. Known are: ${names.join(', ') || 'none'}.`,
      })
    }
    if (query.getAll(name).length > 1) {
      throw new GatewayError('invalid_value', { message: `The query has ${name} twice.`, param: name })
    }
  }
  return query
}
