import core = require('@sluice/core')
import mount = require('@sluice/express')
import koaMount = require('@sluice/koa')
import node = require('@sluice/node')
import providers = require('@sluice/providers')
import http = require('node:http')

const gateway: core.Gateway = core.createGateway({
  authenticate: core.apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: core.models({ demo: providers.local()('demo') }),
})

http.createServer(node.toNodeListener(gateway))
export const mounts = [mount.toExpress(gateway), koaMount.toKoa(gateway)]
