import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, models } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toNodeListener } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import express from 'express'
import type { Ended, GatewayAnswers, GatewayNotices } from '../process/messages.ts'
import { serveParent } from '../process/parent.ts'
import { BookKeeper } from './books.ts'
import { beginDelay, delaySoFar, holdings, memory } from './gauges.ts'
import { hastyBase } from './names.ts'

// The gateway under test, behind two servers: a process of its own, so that its memory and its event loop are nobody else's.

const upstreamPort = Number(process.argv[2])
const day = 86_400_000

let told: Ended[] = []
const books = new BookKeeper(
  record => told.push(record),
  (id, model) => {
    if (model === 'one-at-a-time') parent.tell('queued', id)
  },
)

const vendor = (port: number, maxConcurrent?: number) =>
  openaiCompatible({
    name: 'vendor',
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: 'sk-vendor',
    maxConcurrent,
  })('its-model')
const upstream = vendor(upstreamPort)
const nobody = vendor(9)

const route = models({
  plain: upstream,
  spare: [nobody, upstream],
  'one-at-a-time': vendor(upstreamPort, 1),
})
const { authenticate, limit, observe } = books
const long = { policyMs: 60_000, idleMs: 60_000, totalMs: day }
/** Waits so long that a slow machine makes no failure of a sound answer. */
/** Every request says itself what its upstream does: none of it may change another one's answer. */
const plain = { retry: false, breaker: false } as const
const patient = createGateway({
  authenticate,
  limits: limit,
  observe,
  route,
  ...plain,
  timeouts: { ...long, firstByteMs: 60_000, responseMs: 60_000 },
})
/** For an upstream that says nothing. */
const hasty = createGateway({
  authenticate,
  limits: limit,
  observe,
  route,
  ...plain,
  basePath: hastyBase,
  timeouts: { ...long, firstByteMs: 500, responseMs: 500 },
})

const listeners = [patient, hasty].map(gateway => toNodeListener(gateway, { writeStallMs: 30_000 }))
const servers: Record<string, Server> = {
  'node http': createServer((req, res) => listeners[req.url?.startsWith(hastyBase) ? 1 : 0]?.(req, res)),
  'express 5': createServer(express().use(toExpress(patient)).use(toExpress(hasty))),
}

const parent = serveParent<GatewayAnswers, GatewayNotices>({
  memory,
  holdings,
  'delay begins': beginDelay,
  'delay so far': delaySoFar,
  books: () => {
    tellEnded()
    return books.read()
  },
  close: async () => {
    for (const server of Object.values(servers)) server.close()
    await Promise.all([patient, hasty].map(gateway => gateway.close({ drainMs: 5_000 })))
    return null
  },
})

/** One message for many records. */
function tellEnded(): void {
  if (told.length === 0) return
  parent.tell('ended', told)
  told = []
}
setInterval(tellEnded, 20).unref()

// A client that takes up an idle connection must not find it closed, however long this process stood still.
for (const server of Object.values(servers)) server.keepAliveTimeout = 60_000

const listening = Object.entries(servers).map(
  ([mount, server]) =>
    new Promise<{ mount: string; port: number }>(resolve => {
      server.listen(0, '127.0.0.1', () => resolve({ mount, port: (server.address() as AddressInfo).port }))
    }),
)
parent.tell('listening', await Promise.all(listening))
