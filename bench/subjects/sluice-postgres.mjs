import { createRequestLog } from '@sluice/log'
import { serve } from '@sluice/node'
import { openPostgres } from '@sluice/postgres'
import pg from 'pg'
import { fullGateway } from '../gateway.mjs'

/** The ledger, the request log or both are in PostgreSQL. */
export async function start(upstream, { postgres, kind }) {
  const database = await openPostgres(new pg.Pool({ connectionString: postgres }), { migrate: true })
  const more = {
    ...(kind === 'ledger' && { ledger: database.ledger }),
    ...(kind === 'log' && { observe: createRequestLog({ repository: database.requestLog }).observe }),
  }
  const { port } = await serve(fullGateway(upstream, undefined, undefined, more), { port: 0, signals: false })
  return port
}
