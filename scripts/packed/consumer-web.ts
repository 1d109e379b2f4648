import { apiKeys, createGateway, models } from '@sluice/core'
import { type GatewayResponse, gatewayResponseKey } from '@sluice/core/adapter'
import { hashApiKey } from '@sluice/core/keys'
import { batchedLedger } from '@sluice/core/ledger'
import { memoryLimitStore } from '@sluice/core/limits'
import { openApi } from '@sluice/core/openapi'
import { type Provider, SseDecoder } from '@sluice/core/provider'
import { hasTools } from '@sluice/core/routing'
import { type Database, memoryCacheStore } from '@sluice/core/store'
import { local } from '@sluice/providers'

const gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: models({ demo: local()('demo') }),
})

export const ofEachEntry = [
  hashApiKey,
  batchedLedger,
  memoryLimitStore,
  openApi,
  SseDecoder,
  hasTools,
  memoryCacheStore,
]
export type OfEachEntry = Provider | Database | { readonly [gatewayResponseKey]?: GatewayResponse }

export default { fetch: (request: Request): Promise<Response> => gateway.fetch(request) }
