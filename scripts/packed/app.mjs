import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as core from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toKoa } from '@sluice/koa'
import { toNodeListener } from '@sluice/node'
import * as providers from '@sluice/providers'
import express from 'express'
import Koa from 'koa'
import { checkMount, checkUpstream, demoGateway } from './checks.cjs'

const require = createRequire(import.meta.url)
const entries = JSON.parse(readFileSync(new URL('entries.json', import.meta.url), 'utf8'))
for (const entry of entries) {
  const imported = Object.keys(await import(entry))
  const required = Object.keys(require(entry))
  assert.ok(imported.length > 0, `${entry} exports nothing`)
  assert.deepEqual(required.sort(), imported.sort(), `${entry} exports other names by require than by import`)
}
console.log(`    ${entries.length} entries load by import and by require`)

// What two entries export is one thing: a class that existed twice would fail `instanceof`.
const values = new Map(Object.entries(core))
const requiredCore = require('@sluice/core')
for (const entry of entries.filter(entry => entry.startsWith('@sluice/core/'))) {
  const required = require(entry)
  for (const [name, value] of Object.entries(await import(entry))) {
    if (!values.has(name)) continue
    assert.equal(value, values.get(name), `${name} of ${entry} is another one by import`)
    assert.equal(required[name], requiredCore[name], `${name} of ${entry} is another one by require`)
  }
}

const gateway = demoGateway(core, providers)
await checkMount('Node http', toNodeListener(gateway))
await checkMount('Express 5', express().use(toExpress(gateway)))
await checkMount('Koa 3', new Koa().use(toKoa(gateway)).callback())
await gateway.close()
await checkUpstream(core, providers)
