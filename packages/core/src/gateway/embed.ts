import type { EmbedDialect } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import type { Lease } from '../contracts/limiter.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Decision } from './decide.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'

/** Answers a request for embeddings, from its validation on. */
export async function embed<Host>(
  dialect: EmbedDialect,
  _request: Request,
  { draft }: Decision,
  _lease: Lease,
  { rules }: ResolvedOptions<Host>,
  _context: RequestContext,
  _accounting: RequestAccounting,
): Promise<GatewayResponse> {
  dialect.read(draft, rules)
  throw new GatewayError('server_error')
}
