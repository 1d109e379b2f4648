import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apiKeys, createGateway, models } from '@sluice/core'
import { toNodeListener } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import { redisResponseStore } from '@sluice/redis'
import { Redis } from 'ioredis'

// A gateway in a process of its own, whose responses are in a Redis that others share. Tells its port.
const [redisPort = '', baseURL = ''] = process.argv.slice(2)
const client = new Redis(Number(redisPort), '127.0.0.1')
const gateway = createGateway({
  authenticate: apiKeys(['ann', 'mallory'].map(id => ({ id, key: `key-of-${id}` }))),
  route: models({ m: openaiCompatible({ name: 'vendor', baseURL, apiKey: 'k' })('m') }),
  responses: redisResponseStore(client),
})
const server = createServer(toNodeListener(gateway))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
