import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { steps } from '@sluice/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Programs, programs } from './harness/bundled.ts'
import { upstreamDuring } from './harness/upstream.ts'

const run = promisify(execFile)
const all = `
  export * from '@sluice/core'
  export { openaiCompatible } from '@sluice/providers'
  export { serve, toNodeListener } from '@sluice/node'
  export { toExpress } from '@sluice/express'
`

/** One copy's gateway, limiter's errors and vendor of another copy, mounted by a third: asks, and prints what came. */
const mixed = `
  import { createServer } from 'node:http'
  import express from 'express'
  import * as one from './one.mjs'
  import two from './two.cjs'
  import * as three from './three.mjs'
  if (one.UpstreamError === two.UpstreamError || one.createGateway === three.createGateway) throw new Error('one copy')
  const vendor = two.openaiCompatible({ name: 'vendor', baseURL: process.argv[2], apiKey: 'k' })
  let full = false
  const gateway = one.createGateway({
    authenticate: two.apiKeys([{ id: 'ann', key: 'good-key' }]),
    route: three.models({ m: vendor('m') }),
    retry: false,
    breaker: false,
    limits: {
      admit: () => {
        if (full) throw new two.GatewayError('rate_limit_exceeded')
        return { headers: {}, settle() {} }
      },
    },
    observe: event => event.type === 'end' && console.log(JSON.stringify({ outcome: event.outcome, known: three.UpstreamError.is(event.error) })),
  })
  const listeners = [three.toNodeListener(gateway), express().use(three.toExpress(gateway))]
  for (const listener of listeners) {
    full = false
    const server = createServer(listener)
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    const ask = async stream => {
      const response = await fetch('http://127.0.0.1:' + server.address().port + '/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer good-key', 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      const text = await response.text()
      console.log(JSON.stringify({ status: response.status, done: text.includes('[DONE]'), hello: text.includes('Hello') }))
    }
    await ask(false)
    await ask(true)
    await ask(false)
    full = true
    await ask(false)
    server.close()
  }
`

/** A gateway that has answered, in this thread or in others, and is left alone: nothing ends it but its own rest. */
const idle = `
  import { Worker, isMainThread, threadId, workerData } from 'node:worker_threads'
  import { fileURLToPath } from 'node:url'
  import { apiKeys, createGateway, models, openaiCompatible } from './one.mjs'
  const baseURL = isMainThread ? process.argv[2] : workerData.baseURL
  const vendor = openaiCompatible({ name: 'vendor', baseURL, apiKey: 'k', maxConcurrent: 1 })
  const gateway = createGateway({
    authenticate: apiKeys(async () => ({ id: 'ann' })),
    route: models({ m: vendor('m') }),
    observe: ({ type, outcome }) => type === 'end' && console.log(threadId, outcome),
  })
  for (const stream of [false, true]) {
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer good-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    await response.text()
  }
  if (isMainThread && process.argv[3] === 'workers')
    for (let n = 0; n < 2; n++) new Worker(fileURLToPath(import.meta.url), { workerData: { baseURL } })
`

/** Several processes that share a port, each with a gateway of its own. */
const clustered = `
  import cluster from 'node:cluster'
  import { apiKeys, createGateway, models, openaiCompatible, serve } from './one.mjs'
  if (cluster.isPrimary) {
    const workers = [cluster.fork(), cluster.fork()]
    let ports = []
    for (const worker of workers) worker.on('message', async ({ port }) => {
      ports.push(port)
      if (ports.length < 2) return
      for (let n = 0; n < 4; n++) {
        const response = await fetch('http://127.0.0.1:' + port + '/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: 'Bearer good-key', 'content-type': 'application/json', connection: 'close' },
          body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
        })
        console.log(response.status, (await response.json()).choices[0].message.content)
      }
      for (const each of workers) each.process.kill('SIGTERM')
    })
  } else {
    const vendor = openaiCompatible({ name: 'vendor', baseURL: process.argv[2], apiKey: 'k' })
    const gateway = createGateway({
      authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
      route: models({ m: vendor('m') }),
    })
    const { port } = await serve(gateway, { host: '127.0.0.1', port: 0 })
    process.send({ port })
  }
`

describe('F93 two copies of the package, ESM and CommonJS, worker threads, a cluster', () => {
  let made: Programs
  beforeAll(async () => {
    made = programs()
    await Promise.all([
      made.bundle('one.mjs', all),
      made.bundle('two.cjs', all, 'cjs'),
      made.bundle('three.mjs', all),
    ])
  })
  afterAll(() => made.remove())

  /** Runs a program to its end, for which it has 20 seconds; gives the lines that it printed. */
  async function printedBy(name: string, source: string, ...args: string[]): Promise<string[]> {
    const file = await made.add(name, source)
    const { stdout, stderr } = await run(process.execPath, [file, ...args], { timeout: 20_000 })
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }

  it('errors, answers and vendors of one copy are understood by the others', async () => {
    const busy = steps.reply({ error: { message: 'busy' } }, { status: 429 })
    const upstream = await upstreamDuring(
      steps.answer(),
      steps.answer(),
      busy,
      steps.answer(),
      steps.answer(),
      busy,
    )
    const lines = (await printedBy('mixed.mjs', mixed, upstream.baseURL)).map(line => JSON.parse(line))
    const answered = [
      { status: 200, done: false, hello: true },
      { status: 200, done: true, hello: true },
      { status: 429, done: false, hello: false },
      { status: 429, done: false, hello: false },
    ]
    expect(lines.filter(line => 'status' in line)).toEqual([...answered, ...answered])
    const told = ['completed', 'completed', 'upstream_failed', 'refused']
    expect(lines.flatMap(({ outcome }) => outcome ?? [])).toEqual([...told, ...told])
    expect(lines.filter(({ known }) => known === true)).toHaveLength(2)
  })

  it('an idle gateway does not keep its process', async () => {
    const upstream = await upstreamDuring()
    expect(await printedBy('idle.mjs', idle, upstream.baseURL)).toEqual(['0 completed', '0 completed'])
  })

  it('nor its worker threads, each of which has a gateway of its own', async () => {
    const upstream = await upstreamDuring()
    const lines = await printedBy('idle.mjs', idle, upstream.baseURL, 'workers')
    const expected = [0, 1, 2].flatMap(thread => Array(2).fill(`${thread} completed`))
    expect(lines.sort()).toEqual(expected)
    expect(upstream.requests).toHaveLength(6)
  })

  it('the processes of a cluster share a port, and end when they are told to', async () => {
    const upstream = await upstreamDuring()
    const lines = await printedBy('clustered.mjs', clustered, upstream.baseURL)
    expect(lines).toEqual(Array(4).fill('200 Hello'))
  })
})
