// The gateway that every runtime serves. `upstream` is the base URL of a server on loopback.
import { apiKeys, concurrent, createGateway, limits, models, requests, withEndpoints } from '@sluice/core'
import { openApi } from '@sluice/core/openapi'
import { local, openaiCompatible } from '@sluice/providers'

export function runtimeGateway(upstream, options) {
  const there = openaiCompatible({ name: 'there', baseURL: upstream, apiKey: 'upstream-key' })
  const gateway = createGateway({
    authenticate: apiKeys([
      { id: 'tester', key: 'sk-test' },
      // Has room for one at a time, so that a room that is not given back is seen.
      { id: 'single', key: 'sk-one', limits: [concurrent(1)] },
      { id: 'limited', key: 'sk-limited', limits: [requests(1).per('hour')] },
    ]),
    limits: limits([]),
    route: models({ demo: local()('demo'), there: there('m') }),
    maxAttempts: 1,
    ...options,
  })
  return withEndpoints(gateway, [openApi()])
}
