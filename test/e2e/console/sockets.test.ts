import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { models } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toKoa } from '@sluice/koa'
import { serve } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import { chunks, sse, startUpstream, steps } from '@sluice/testing'
import express from 'express'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { admin, callerKey, consoleService } from './console-service.ts'

type Service = ReturnType<typeof consoleService>

/** Where the gateway is mounted in each host: the URL of its mount. */
const hosts: Record<string, (service: Service) => Promise<string>> = {
  'node:http': async ({ service }) => {
    const serving = await serve(service, { port: 0, signals: false })
    onTestFinished(() => serving.close({ drainMs: 0 }))
    return serving.url
  },
  'Express, below /api/ai': async ({ service }) => {
    const app = express()
    app.use('/api/ai', toExpress(service))
    return `${await listening(app)}/api/ai`
  },
  'Express, behind its parser': async ({ service }) => {
    const app = express()
    app.use(express.json())
    app.use('/api/ai', toExpress(service))
    return `${await listening(app)}/api/ai`
  },
  Koa: async ({ service }) => {
    const app = new Koa()
    // It reports each client that leaves in the middle of a stream.
    app.silent = true
    app.use(toKoa(service))
    return listening(app)
  },
}

async function listening(app: { listen: express.Express['listen'] } | Koa): Promise<string> {
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Listens to `/live`, and reads until a text has come. */
async function listen(url: string) {
  const leaving = new AbortController()
  const response = await fetch(`${url}/console/api/live`, { headers: admin, signal: leaving.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    response,
    leave: () => leaving.abort(),
    async until(wanted: string | undefined): Promise<string> {
      while (wanted === undefined || !text.includes(wanted)) {
        const { done, value } = await reader!.read()
        if (done) {
          if (wanted === undefined) return text
          throw new Error(`It ended before ${wanted} came:\n${text}`)
        }
        text += value
      }
      return text
    },
  }
}

const chat = (url: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${callerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: 'Hi.' }] }),
  })

describe.each(Object.entries(hosts))('the console on %s', (_, mount) => {
  it('is reached by its name without a slash, and answers', async () => {
    const url = await mount(consoleService())
    const page = await fetch(`${url}/console`)
    expect([page.status, page.url]).toEqual([200, `${url}/console/`])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const about = await (await fetch(`${url}/console/api/about`, { headers: admin })).json()
    expect(about.base).toBe('/v1')
    expect((await fetch(`${url}/console/api/about`)).status).toBe(401)
  })

  it('takes changes, and refuses what is too large', async () => {
    const service = consoleService()
    const url = await mount(service)
    const send = (body: string) =>
      fetch(`${url}/console/api/keys`, {
        method: 'POST',
        headers: { ...admin, 'content-type': 'application/json', origin: new URL(url).origin },
        body,
      })
    const issued = await (await send('{"name":"a"}')).json()
    expect(await service.keys.get(issued.id)).toMatchObject({ name: 'a' })
    expect((await send('{"name":1}')).status).toBe(400)
    expect((await send(JSON.stringify({ name: 'a'.repeat(90_000) }))).status).toBe(413)
  })

  it('tells requests as they begin and end, and lets go of who leaves', async () => {
    const service = consoleService()
    const url = await mount(service)
    const clients = await Promise.all(Array.from({ length: 16 }, () => listen(url)))
    expect(clients[0]?.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await clients[0]?.until(': live')
    await (await chat(url)).text()
    expect(await clients[0]?.until('"outcome":"completed"')).toContain('"outcome":"running"')
    const tooMany = await listen(url)
    expect(tooMany.response.status).toBe(503)
    for (const client of clients) client.leave()
    // They are gone as soon as the server has heard of it.
    let status = 503
    while (status === 503) {
      const next = await listen(url)
      status = next.response.status
      next.leave()
    }
    expect(status).toBe(200)
  })
})

describe('the chat of the console', () => {
  it('ends the upstream when its reader leaves, also after memory was tidied up', async () => {
    const upstream = await startUpstream([
      steps.stream(sse(chunks({ text: 'Hello world' })).slice(0, 2)),
      steps.hang(),
    ])
    onTestFinished(() => upstream.close())
    const vendor = openaiCompatible({ name: 'stuck', apiKey: 'sk-up', baseURL: upstream.baseURL })
    const { service } = consoleService({ gateway: { route: models({ small: vendor('small') }) } })
    const serving = await serve(service, { port: 0, signals: false })
    onTestFinished(() => serving.close({ drainMs: 0 }))
    const leaving = new AbortController()
    const response = await fetch(`${serving.url}/console/api/chat`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { ...admin, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: 'Hi.' }] }),
    })
    await response.body!.getReader().read()
    await upstream.waitForRequest(1)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    // What is not referred to is gone after a turn of the event loop.
    for (let round = 0; round < 3; round++) {
      collect()
      await new Promise(resolve => setImmediate(resolve))
    }
    leaving.abort()
    await upstream.waitForClose(1)
  })
})

describe('the console in an application with a policy of its own', () => {
  it('keeps its own policy', async () => {
    const { service } = consoleService()
    const app = express()
    app.use((_req, res, next) => {
      res.setHeader('content-security-policy', "default-src 'self' 'unsafe-inline'")
      res.setHeader('x-frame-options', 'SAMEORIGIN')
      next()
    })
    app.use(toExpress(service))
    const { headers } = await fetch(`${await listening(app)}/console/`)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(headers.get('content-security-policy')).not.toContain('unsafe-inline')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
  })
})

describe('a service that stops', () => {
  it('ends the live stream, and does not wait for its readers', async () => {
    const { service } = consoleService()
    const serving = await serve(service, { port: 0, signals: false })
    const client = await listen(serving.url)
    await client.until(': live')
    const began = performance.now()
    const closing = serving.close({ drainMs: 20_000 })
    await client.until(undefined)
    await closing
    expect(performance.now() - began).toBeLessThan(6_000)
  })

  it('ends it at once when the console is closed', async () => {
    const { service, board } = consoleService()
    const serving = await serve(service, { port: 0, signals: false })
    onTestFinished(() => serving.close({ drainMs: 0 }))
    const client = await listen(serving.url)
    await client.until(': live')
    board.close()
    expect(await client.until(undefined)).toBe(': live\n\n')
  })
})
