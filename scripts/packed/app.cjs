const express = require('express')
const Koa = require('koa')
const core = require('@sluice/core')
const providers = require('@sluice/providers')
const { toNodeListener } = require('@sluice/node')
const { toExpress } = require('@sluice/express')
const { toKoa } = require('@sluice/koa')
const { checkMount, checkUpstream, demoGateway } = require('./checks.cjs')

async function main() {
  const gateway = demoGateway(core, providers)
  await checkMount('Node http', toNodeListener(gateway))
  await checkMount('Express 4', express().use(toExpress(gateway)))
  await checkMount('Koa 2', new Koa().use(toKoa(gateway)).callback())
  await gateway.close()
  await checkUpstream(core, providers)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
