import { apiKeys, createGateway, models } from '@sluice/core'
import { local } from '@sluice/providers'

const gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: models({ demo: local()('demo') }),
})

export default { fetch: (request: Request): Promise<Response> => gateway.fetch(request) }
