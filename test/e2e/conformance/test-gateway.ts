import {
  apiKeys,
  createGateway,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  type ModelEntry,
  models,
} from '@sluice/core'
import { local } from '@sluice/providers/local'

const known = apiKeys([
  { id: 'ann', key: 'good-key' },
  { id: 'bob', key: 'key with spaces' },
  { id: 'cid', key: 'local-only-key', models: ['local'] },
  { id: 'dan', key: 'no-scope-key', tags: { scope: 'none' } },
])

/** A gateway with the model `local` and others beside it. `no-scope-key` may not use the service at all. */
export function testGateway(
  table: Readonly<Record<string, ModelEntry>> = {},
  options: Partial<GatewayOptions> = {},
): Gateway {
  return createGateway({
    authenticate: async request => {
      const principal = await known(request, undefined)
      if (principal?.tags?.scope === 'none') throw new GatewayError('missing_scope')
      return principal
    },
    route: models({ local: local()(), ...table }),
    // What one failure is told as shows where no target is asked again, nor left alone.
    retry: false,
    breaker: false,
    ...options,
  })
}
