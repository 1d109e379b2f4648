import type { DialectError, RerankDialect } from '../../contracts/dialect.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { rerankText } from './answer-text.ts'
import { rerankOutline } from './outline.ts'
import { readRerank } from './read.ts'

/** The rerank API, which has one shape at most vendors. */
export const rerankDialect: RerankDialect = {
  name: 'rerank',
  operation: 'rerank',
  path: '/rerank',
  outline: rerankOutline,
  read: readRerank,
  write: rerankText,
  error: rerankError,
}

/** Returns an error in the shape of the protocol: a message, and the id of the request. */
export function rerankError(error: GatewayError, requestId: string): DialectError {
  const { status, message, headers } = error
  return { status, body: { id: requestId, message }, headers }
}
