import { apiKeys, createGateway, models } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { local } from '@sluice/providers'
import express from 'express'

const gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: models({ demo: local()('demo') }),
})
express().use(toExpress(gateway)).listen(3000)
