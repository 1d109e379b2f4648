import dns from 'node:dns'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { anthropic, openaiCompatible } from '@sluice/providers'
import { findClosedPort, readSse } from '@sluice/testing'
import { generate } from 'selfsigned'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { blackHole } from './harness/blackhole.ts'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const connectMs = 400

/** Places where no connection comes about: a base URL, and what the caller is told. */
const places: Record<string, { at(): Promise<string>; kind: string; status: number; code: string }> = {
  'that refuses': {
    at: async () => `http://127.0.0.1:${await findClosedPort()}`,
    kind: 'unreachable',
    status: 502,
    code: 'bad_gateway',
  },
  'that neither accepts nor refuses': {
    at: async () => `http://127.0.0.1:${await blackHole()}`,
    kind: 'connect_timeout',
    status: 504,
    code: 'timeout',
  },
  'whose TLS handshake never ends': {
    at: async () => `https://127.0.0.1:${await listening(createTcpServer())}`,
    kind: 'connect_timeout',
    status: 504,
    code: 'timeout',
  },
  'that speaks no TLS': {
    at: async () => `https://127.0.0.1:${(await upstreamWithoutTls()).port}`,
    kind: 'unreachable',
    status: 502,
    code: 'bad_gateway',
  },
  'whose certificate is its own': {
    at: selfSigned,
    kind: 'unreachable',
    status: 502,
    code: 'bad_gateway',
  },
  'whose name is unknown': {
    at: unknownName,
    kind: 'unreachable',
    status: 502,
    code: 'bad_gateway',
  },
}

describe('F39 no connection to the upstream comes about: refused, unanswered, no TLS, unknown name', () => {
  overEveryServer(mount => {
    describe.each(Object.entries(places))('an upstream %s', (_, { at, kind, status, code }) => {
      it.each([false, true])('is a real status where there is no other target, stream: %s', async stream => {
        const origin = await at()
        const { site, end, ends } = await startService(mount, {
          models: { m: targetAt({ baseURL: `${origin}/v1` }) },
          timeouts: { connectMs },
        })
        const before = performance.now()
        const answer = await site.chat({ model: 'm', stream })
        expect(performance.now() - before).toBeLessThan(connectMs + 2_000)
        expect(answer).toMatchObject({ status, json: { error: { code, type: 'server_error', param: null } } })
        // Nothing of where it was looked for, nor of what the system said.
        expect(answer.body).not.toMatch(/127\.0\.0\.1|invalid|ECONN|ENOTFOUND|certificate|SSL/)
        expect(answer.bytes.length).toBeLessThan(4_096)
        expect(await end()).toMatchObject({
          outcome: 'upstream_failed',
          status,
          usage: undefined,
          attempts: [{ called: true, error: { name: 'UpstreamError', kind } }],
        })
        expect(ends).toHaveLength(1)
      })

      it('is left for the next target', async () => {
        const origin = await at()
        const upstream = await upstreamDuring()
        const { site, end, events } = await startService(mount, {
          models: { m: [targetAt({ baseURL: `${origin}/v1` }), targetAt(upstream)] },
          timeouts: { connectMs },
        })
        const { done, text } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
        expect({ done, text }).toEqual({ done: true, text: 'Hello' })
        expect(await end()).toMatchObject({
          outcome: 'completed',
          attempts: [
            { called: true, error: { kind } },
            { called: true, error: undefined },
          ],
        })
        expect(events.map(({ type }) => type)).toEqual(['begin', 'attempt_failed', 'end'])
      })
    })

    it.each(['that refuses', 'that speaks no TLS', 'whose name is unknown'])(
      'an upstream %s is asked again where no other is left, and then left alone',
      async name => {
        const { at, status } = places[name]!
        const origin = await at()
        const { site, end, events } = await startService(mount, {
          models: { m: targetAt({ baseURL: `${origin}/v1` }) },
          retry: { baseMs: 20, maxMs: 40 },
          breaker: { failures: 2 },
        })
        const ask = () => site.chat({ model: 'm', stream: true })
        const { status: told, headers } = await ask()
        expect([told, headers['x-should-retry']]).toEqual([status, 'false'])
        expect((await end(1)).attempts).toMatchObject([
          { why: 'first', waitedMs: 0 },
          { why: 'retry', called: true },
          { why: 'retry', called: true },
        ])
        // What one request failed with counts once, however often it was sent.
        expect(events.filter(({ type }) => type === 'target')).toEqual([])
        expect((await ask()).status).toBe(status)
        expect(events).toContainEqual(expect.objectContaining({ type: 'target', state: 'open' }))
        expect((await ask()).status).toBe(502)
        expect((await end(3)).attempts).toEqual([])
      },
    )

    it('is not looked for any more where it never is there: the next target is asked first', async () => {
      const nowhere = `http://127.0.0.1:${await findClosedPort()}/v1`
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, {
        models: { m: [targetAt({ baseURL: nowhere }), targetAt(upstream)] },
        breaker: { failures: 2 },
        retry: {},
      })
      for (const n of [1, 2, 3]) {
        expect((await site.chat({ model: 'm' })).status).toBe(200)
        // At once: who moves on does not wait.
        const { attempts, trace } = await end(n)
        expect(attempts.map(({ why, waitedMs }) => [why, waitedMs])).toEqual(
          n < 3
            ? [
                ['first', 0],
                ['fallback', 0],
              ]
            : [['first', 0]],
        )
        expect(trace.candidates[0]?.skipped?.why).toBe(n < 2 ? undefined : 'open')
      }
    })

    it('is asked at most maxAttempts times in all, whoever the vendor is', async () => {
      const baseURL = `http://127.0.0.1:${await findClosedPort()}`
      const target = openaiCompatible({ name: 'vendor', baseURL })
      const other = anthropic({ apiKey: 'k', baseURL })
      const { site, end } = await startService(mount, {
        models: { m: [target('a'), other('b'), target('c'), other('d'), target('e')] },
      })
      expect((await site.chat({ model: 'm' })).status).toBe(502)
      expect((await end()).attempts).toHaveLength(3)
    })
  })
})

async function listening(server: ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket.on('error', () => {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

async function upstreamWithoutTls(): Promise<{ port: number }> {
  // Whatever comes, it answers as a plain server would.
  const server = createTcpServer(socket =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  )
  return { port: await listening(server) }
}

async function selfSigned(): Promise<string> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }])
  const server = createTlsServer({ key, cert })
  server.on('tlsClientError', () => {})
  return `https://127.0.0.1:${await listening(server)}`
}

/** A name that the resolver does not know. No resolver is asked: what it would say is said here. */
async function unknownName(): Promise<string> {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND vendor.invalid'), {
    code: 'ENOTFOUND',
    syscall: 'getaddrinfo',
    hostname: 'vendor.invalid',
  })
  const ask = dns.lookup as (...args: unknown[]) => void
  const lookup = vi.spyOn(dns, 'lookup')
  lookup.mockImplementation(((...args: unknown[]) => {
    const done = args.at(-1)
    if (args[0] !== unknown.hostname || typeof done !== 'function') return ask(...args)
    setImmediate(() => done(unknown))
  }) as typeof dns.lookup)
  onTestFinished(() => lookup.mockRestore())
  return `http://${unknown.hostname}`
}
