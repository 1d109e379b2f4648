import { configurationError } from '@sluice/core/adapter'

/** How a server's API to rank documents differs from Cohere's. */
export interface RerankCompatibility {
  /** Its path below the base URL. Default `/rerank`. */
  readonly path?: string | undefined
  /** The server's name of `top_n`. Default: the same. */
  readonly topN?: 'top_n' | 'top_k' | undefined
  /** Maximum number of documents of one call. Default: no maximum. */
  readonly maxDocuments?: number | undefined
  /** Further fields that the server takes. Others are dropped and reported. Default: none. */
  readonly fields?: readonly string[] | undefined
  /** Fields that are always sent, unless the caller sends them. Default: none. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** Throws `ConfigurationError` for invalid values. */
export function validateRerank(value: unknown, owner: string): void {
  const wrong = (name: string, given: unknown, expected: string) =>
    configurationError(`${owner}()`, name === '' ? ['rerank'] : ['rerank', name], given, expected)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('', value, 'an object, or false')
  const names = ['path', 'topN', 'maxDocuments', 'fields', 'defaults']
  const unknown = Object.keys(value).find(name => !names.includes(name))
  if (unknown !== undefined) throw wrong(unknown, Reflect.get(value, unknown), `one of ${names.join(', ')}`)
  const { path, topN, maxDocuments, fields, defaults } = value as Readonly<Record<string, unknown>>
  if (path !== undefined && !(typeof path === 'string' && /^(?:\/[\w~-][\w.~-]*)+$/.test(path)))
    throw wrong('path', path, 'a path, such as /rerank')
  if (topN !== undefined && topN !== 'top_n' && topN !== 'top_k')
    throw wrong('topN', topN, "'top_n' or 'top_k'")
  if (maxDocuments !== undefined && !(Number.isSafeInteger(maxDocuments) && (maxDocuments as number) >= 1))
    throw wrong('maxDocuments', maxDocuments, 'a whole number from 1')
  if (fields !== undefined && !(Array.isArray(fields) && fields.every(name => typeof name === 'string')))
    throw wrong('fields', fields, 'a list of names')
  if (
    defaults !== undefined &&
    (typeof defaults !== 'object' || defaults === null || Array.isArray(defaults))
  )
    throw wrong('defaults', defaults, 'an object, such as { truncation: false }')
}
