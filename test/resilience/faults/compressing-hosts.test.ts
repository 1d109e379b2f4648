import { request } from 'node:http'
import { createGunzip } from 'node:zlib'
import { chunks, sse, steps } from '@sluice/testing'
import compression from 'compression'
import compress from 'koa-compress'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base, type Site } from '../../e2e/conformance/site.ts'
import { type InFront, mountsBehind } from '../../e2e/mounts/mounts.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const events = sse(chunks({ text: 'one two three' }))
const everything = { threshold: 0, filter: () => true }

const compressing: InFront = {
  express: app => app.use(compression(everything)),
  koa: app => app.use(compress({ threshold: 0, filter: () => true })),
}

/** A host that sets its own caching rules on every answer, so that nothing forbids to compress. */
const overruling: InFront = {
  express(app) {
    app.use(compression(everything))
    app.use((_, res, next) => {
      const writeHead = res.writeHead.bind(res)
      res.writeHead = ((status: number, headers: object) =>
        writeHead(status, { ...headers, 'cache-control': 'private' })) as typeof res.writeHead
      next()
    })
  },
  koa: () => {},
}

const hosts = ['express 4', 'express 5', 'koa 2', 'koa 3']
const chosen = (before: InFront, names: readonly string[]) =>
  Object.entries(mountsBehind(before)).filter(([name]) => names.includes(name))

describe('F33 the host compresses what it sends', () => {
  it.each(chosen(compressing, hosts))('each event comes when it is there: %s', async (_, mount) => {
    // The upstream says nothing after its second event: what is held back never comes.
    const upstream = await upstreamDuring([steps.stream(events.slice(0, 2)), steps.hang()])
    const { site } = await startService(mount, { models: { m: upstream } })
    const { headers, first } = await gzipped(site)
    expect(first).toContain('"one"')
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['cache-control']).toContain('no-transform')
    expect(headers['x-accel-buffering']).toBe('no')
  })

  it.each(chosen(overruling, hosts.slice(0, 2)))(
    'what is compressed all the same is flushed: %s',
    async (_, mount) => {
      const upstream = await upstreamDuring([steps.stream(events.slice(0, 2)), steps.hang()])
      const { site } = await startService(mount, { models: { m: upstream } })
      const { headers, first } = await gzipped(site)
      expect(headers['content-encoding']).toBe('gzip')
      expect(first).toContain('"one"')
    },
  )
})

/** Asks for a stream as a client that takes gzip; gives the head, and the text up to the first token. */
function gzipped(site: Site) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; first: string }>((resolve, reject) => {
    const asked = request({
      port: site.port,
      host: '127.0.0.1',
      path: site.pathOf('/chat/completions'),
      method: 'POST',
      headers: {
        authorization: 'Bearer good-key',
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
      },
    })
    onTestFinished(() => void asked.destroy())
    asked.on('error', reject)
    asked.on('response', response => {
      const plain = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
      let first = ''
      plain.setEncoding('utf8').on('data', (text: string) => {
        first += text
        if (first.includes('"one"')) resolve({ headers: response.headers, first })
      })
      plain.on('error', () => {})
    })
    asked.end(JSON.stringify({ ...base, model: 'm', stream: true }))
  })
}
