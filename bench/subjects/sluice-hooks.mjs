import { redact } from '@sluice/hooks'
import { createRequestLog } from '@sluice/log'
import { serve } from '@sluice/node'
import { openSqlite } from '@sluice/sqlite'
import { fullGateway } from '../gateway.mjs'

/** What is beside the pipeline: one hook that does nothing, one that reads each text, redaction, or a request log in SQLite. */
const kinds = {
  request: async () => ({ hooks: [{ name: 'noop', onRequest: () => undefined }] }),
  response: async () => ({ hooks: [{ name: 'noop', holdBack: 32, onChunk: () => undefined }] }),
  redact: async () => ({ hooks: [redact()] }),
  log: async () => {
    const { requestLog } = await openSqlite({ url: ':memory:' })
    return { observe: createRequestLog({ repository: requestLog }).observe }
  },
}

export async function start(upstream, { kind }) {
  const gateway = fullGateway(upstream, undefined, undefined, await kinds[kind]())
  const { port } = await serve(gateway, { port: 0, signals: false })
  return port
}
