import { apiKeys, createGateway, models } from '@sluice/core'
import { toKoa } from '@sluice/koa'
import { local } from '@sluice/providers'
import Koa from 'koa'

const gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: models({ demo: local()('demo') }),
})
new Koa().use(toKoa(gateway)).listen(3000)
