import type { CountDialect } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Decision } from './decide.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { validateRequest } from './validate-request.ts'

/** Answers a request for the number of tokens of a prompt, from its validation on. */
export async function countTokens<Host>(
  dialect: CountDialect,
  { draft, principal, targets }: Decision,
  { rules }: ResolvedOptions<Host>,
  { routing }: RequestContext,
  _accounting: RequestAccounting,
): Promise<GatewayResponse> {
  validateRequest(dialect, draft, principal, targets, rules, routing)
  throw new GatewayError('server_error')
}
