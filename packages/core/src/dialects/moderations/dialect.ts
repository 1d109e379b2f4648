import type { DialectError, ModerateDialect } from '../../contracts/dialect.ts'
import type { Outline } from '../../contracts/outline.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { replaceMember } from '../../protocol/replace-member.ts'
import { readModeration } from './read.ts'

const outline: Outline = Object.freeze({ stream: false })

/** The moderations API. */
export const moderationsDialect: ModerateDialect = {
  name: 'moderations',
  operation: 'moderate',
  path: '/moderations',
  outline: () => outline,
  read: readModeration,
  write: ({ model, native }) => replaceMember(native, ['model'], model),
  error: (error: GatewayError): DialectError => ({
    status: error.status,
    body: error.toBody(),
    headers: error.headers,
  }),
}
