import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { apiKeys, createGateway, type Gateway, models } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toNodeListener } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import express from 'express'

// A process in which another library has written to `Object.prototype`. Each line of its input is a key and the kind
// of its value; a new gateway is made then, behind two servers, and their ports are printed.

const values: Readonly<Record<string, unknown>> = {
  true: true,
  number: 1,
  text: 'polluted',
  list: ['polluted'],
  object: { polluted: true },
  function: () => 'polluted',
}
const baseURL = process.argv[2] ?? ''
let undo = () => {}
let last: Gateway | undefined

for await (const line of createInterface({ input: process.stdin })) {
  undo()
  void last?.close({ drainMs: 1 })
  const [key = '', kind = ''] = line.split(' ')
  if (key !== '-') {
    Reflect.set(Object.prototype, key, values[kind])
    undo = () => void Reflect.deleteProperty(Object.prototype, key)
  }
  try {
    console.log(`ports ${(await start()).join(' ')}`)
  } catch (error) {
    console.log(`failed ${error}`)
  }
}
process.exit()

async function start(): Promise<number[]> {
  const vendor = openaiCompatible({ name: 'vendor', baseURL, apiKey: 'k' })
  const gateway = createGateway({
    authenticate: apiKeys([
      { id: 'ann', key: 'good-key' },
      { id: 'bob', key: 'other-key', models: ['other'] },
    ]),
    route: models({ m: vendor('its-model') }),
  })
  last = gateway
  const listeners = [toNodeListener(gateway), express().use(toExpress(gateway))]
  return Promise.all(
    listeners.map(async listener => {
      const server = createServer(listener)
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      server.unref()
      return (server.address() as AddressInfo).port
    }),
  )
}
