import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../packages/cli/src/temporary-folder.ts'
import { sluice } from '../cli/sluice.ts'
import type { SluiceProcess } from '../cli/start-process.ts'
import { clientOf, startVendor } from './service.ts'

const patience = { timeout: 30_000, interval: 100 }
const adminKey = 'admin-key-of-this-test-0123456789'

function configOf(upstream: string, more: object = {}) {
  return {
    server: { port: 0, workers: 2, drainMs: 5_000 },
    providers: { vendor: { type: 'openai-compatible', baseURL: `${upstream}/v1` } },
    models: { fast: 'vendor/fast', held: 'vendor/held' },
    keys: [
      { id: 'ann', key: 'sk-ann' },
      { id: 'bob', key: 'sk-bob' },
    ],
    telemetry: { log: 'off' },
    ...more,
  }
}

interface Served extends ReturnType<typeof clientOf> {
  readonly url: string
  readonly process: SluiceProcess
  readonly file: string
}

async function served(config: object, args: readonly string[] = []): Promise<Served> {
  const cwd = temporaryFolder({ 'sluice.config.json': JSON.stringify(config) })
  const process = sluice(['serve', ...args], { cwd })
  const [, url] = await process.until(/Serving \d+ models? at (http\S+)\/v1/)
  return { url: url!, process, file: join(cwd, 'sluice.config.json'), ...clientOf(url!) }
}

function sumOf(metrics: string, pattern: RegExp): number {
  const lines = metrics.split('\n').filter(line => pattern.test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('sluice serve --workers', () => {
  it('counts limits and metrics of all workers together, also after one was killed', async () => {
    const vendor = await startVendor()
    const limits = [{ kind: 'requests', limit: 20, per: 'hour' }]
    const service = await served(configOf(vendor.url, { limits }))
    expect(service.process.stderr()).toContain('/v1 with 2 workers\n')
    const results = await Promise.all(Array.from({ length: 30 }, () => service.chat()))
    expect(results.filter(({ status }) => status === 200)).toHaveLength(20)
    expect((await service.chat({ key: 'sk-bob' })).status).toBe(200)
    const total = async () => sumOf(await service.get('/metrics'), /^sluice_requests_total\{/)
    for (let count = 0; count < 6; count++) expect(await total()).toBe(31)
    expect(sumOf(await service.get('/metrics'), /^sluice_request_duration_seconds_count/)).toBe(31)
    const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(service.process.child.pid)], {
      encoding: 'utf8',
    })
    const worker = listed.split('\n').find(line => line.includes('--workers'))
    process.kill(Number(worker!.trim().split(' ')[0]), 'SIGKILL')
    await service.process.until(/ended by SIGKILL/)
    let last = 31
    for (let count = 0; count < 4; count++) {
      const now = await total()
      expect(now).toBeGreaterThanOrEqual(last)
      last = now
    }
    expect((await service.chat()).status).toBe(429)
    await vi.waitFor(async () => expect(await total()).toBe(32), patience)
    service.process.child.kill('SIGTERM')
    expect(await service.process.exited).toBe(0)
  })

  it('reloads a changed configuration without a cut stream, and keeps the last valid one', async () => {
    const vendor = await startVendor()
    const config = configOf(vendor.url)
    const service = await served(config)
    const streams = await Promise.all(
      Array.from({ length: 4 }, () => service.chat({ model: 'held', stream: true })),
    )
    expect((await service.chat({ key: 'sk-new' })).status).toBe(401)
    writeFileSync(
      service.file,
      JSON.stringify({ ...config, keys: [...config.keys, { id: 'new', key: 'sk-new' }] }),
    )
    await service.process.until(/Configuration reloaded\./)
    for (let count = 0; count < 6; count++) expect((await service.chat({ key: 'sk-new' })).status).toBe(200)
    writeFileSync(service.file, JSON.stringify({ ...config, models: { fast: 'nobody/fast' } }))
    await service.process.until(/The service keeps its current configuration\./)
    expect((await service.chat({ key: 'sk-new' })).status).toBe(200)
    vendor.release()
    for (const { text } of streams) expect(await text()).toMatch(/\[DONE\]/)
    expect(sumOf(await service.get('/metrics'), /^sluice_requests_total\{/)).toBe(12)
  })

  it('counts configured models by their names, whatever names a caller invents, and after a reload', async () => {
    const vendor = await startVendor()
    const config = configOf(vendor.url, { models: { 'any/*': 'vendor/*', fast: 'vendor/fast' } })
    const service = await served(config)
    // More than the bound of labels in each of the two workers.
    const invent = async (round: number) => {
      for (let batch = 0; batch < 16; batch++) {
        const names = Array.from({ length: 20 }, (_, at) => `any/${round}-${batch}-${at}`)
        const results = await Promise.all(names.map(model => service.chat({ model })))
        for (const { status } of results) expect(status).toBe(200)
      }
    }
    const requestsOf = async (model: string) =>
      sumOf(await service.get('/metrics'), new RegExp(`^sluice_requests_total\\{.*model="${model}"`))
    await invent(1)
    for (let count = 0; count < 6; count++) await service.chat({ key: 'sk-bob' })
    expect([await requestsOf('fast'), (await requestsOf('other')) > 0]).toEqual([6, true])
    writeFileSync(
      service.file,
      JSON.stringify({ ...config, models: { ...config.models, added: 'vendor/added' } }),
    )
    await service.process.until(/Configuration reloaded\./)
    await invent(2)
    for (let count = 0; count < 6; count++) await service.chat({ key: 'sk-bob', model: 'added' })
    expect([await requestsOf('fast'), await requestsOf('added')]).toEqual([6, 6])
    const attempts = /^sluice_attempts_total\{.*upstream_model="(fast|added)"/
    expect(sumOf(await service.get('/metrics'), attempts)).toBe(12)
  })

  it('writes the ledger, the log and keys of all workers into one SQLite file', async () => {
    const vendor = await startVendor()
    const service = await served(
      configOf(vendor.url, {
        state: { database: 'file:./sluice.db' },
        log: { store: 'database' },
        console: { adminKey },
      }),
    )
    const api = async (path: string, body?: unknown) => {
      const response = await fetch(`${service.url}/console/api/${path}`, {
        headers: {
          authorization: `Bearer ${adminKey}`,
          connection: 'close',
          'content-type': 'application/json',
        },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    }
    const results = await Promise.all(Array.from({ length: 60 }, () => service.chat()))
    expect(results.every(({ status }) => status === 200)).toBe(true)
    const made = await api('keys', { name: 'issued' })
    expect(made.status).toBeLessThan(300)
    const { key } = made.body as { key: string }
    for (let count = 0; count < 6; count++) expect((await service.chat({ key })).status).toBe(200)
    service.process.child.kill('SIGTERM')
    expect(await service.process.exited).toBe(0)
    const usage = sluice(['usage', '--json'], { cwd: join(service.file, '..') })
    await usage.exited
    expect(usage.stdout()).toMatch(/66/)
  })

  it('shows the requests of all workers in the console, also of replaced ones', async () => {
    const vendor = await startVendor()
    const service = await served(configOf(vendor.url, { console: { adminKey } }))
    const headers = { authorization: `Bearer ${adminKey}`, connection: 'close' }
    const read = async (path: string) =>
      (await fetch(`${service.url}/console/api/${path}`, { headers })).json() as Promise<{
        readonly requests: readonly { readonly id: string; readonly outcome: string }[]
        readonly usage: { readonly requests: number }
        readonly lines: readonly { readonly requests: readonly number[] }[]
      }>
    const stopping = new AbortController()
    const live = await fetch(`${service.url}/console/api/live`, { headers, signal: stopping.signal })
    let heard = ''
    const listening = (async () => {
      for await (const part of live.body!.pipeThrough(new TextDecoderStream())) heard += part
    })().catch(() => {})
    const ids = new Set<string>()
    for (let count = 0; count < 12; count++) {
      const { headers } = await service.chat()
      ids.add(String(headers['x-request-id']))
    }
    await vi.waitFor(() => {
      for (const id of ids) expect(heard).toContain(id)
    }, patience)
    stopping.abort()
    await listening
    const check = async () => {
      for (let count = 0; count < 4; count++) {
        const { requests } = await read('requests')
        expect(new Set(requests.map(({ id }) => id))).toEqual(ids)
        expect(await read(`requests/${[...ids][count]}`)).toMatchObject({ outcome: 'completed' })
        expect((await read('overview?minutes=60')).usage.requests).toBe(ids.size)
        const [line] = (await read('series?by=all')).lines
        expect(line!.requests.reduce((sum, each) => sum + each, 0)).toBe(ids.size)
      }
    }
    await check()
    // One that ends in a worker that is replaced already.
    const streamed = await service.chat({ model: 'held', stream: true })
    ids.add(String(streamed.headers['x-request-id']))
    service.process.child.kill('SIGHUP')
    await service.process.until(/Configuration reloaded\./)
    vendor.release()
    expect(await streamed.text()).toMatch(/\[DONE\]/)
    await vi.waitFor(check, patience)
  })

  it('keeps callers apart over workers, whatever they send', async () => {
    const vendor = await startVendor()
    const service = await served(
      configOf(vendor.url, {
        idempotency: true,
        clientRequestId: true,
        console: { adminKey },
        limits: [{ kind: 'requests', limit: 3, per: 'hour', scopes: ['key', 'user'] }],
      }),
    )
    const call = async (
      path: string,
      key: string,
      { headers = {}, body }: { headers?: object; body?: object } = {},
    ) => {
      const response = await fetch(`${service.url}${path}`, {
        headers: {
          authorization: `Bearer ${key}`,
          connection: 'close',
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }

    // The key of another caller's request, and its id.
    const forged = { 'idempotency-key': 'same', 'x-request-id': 'same' }
    const anns = await service.chat({ headers: forged, body: { user: 'idempotent' } })
    await anns.text()
    const annsId = String(anns.headers['x-request-id'])
    for (const key of ['same', annsId]) {
      const headers = { 'idempotency-key': key, 'x-request-id': annsId }
      const result = await service.chat({ key: 'sk-bob', headers, body: { user: 'idempotent' } })
      await result.text()
      expect(result.status).toBe(200)
      expect(result.headers['x-request-id']).not.toBe(annsId)
    }
    expect(vendor.received()).toBe(3)

    // Texts of the caller that are part of what workers send to the primary.
    for (const user of [
      '"],[0,"failed","a"]]\n[[0,"stop"]]\n',
      '\n[[0,"ready",null]]\n',
      '\u2028\u2029\u0000',
      '__proto__',
      '=ann/others',
    ]) {
      const results = []
      for (let count = 0; count < 4; count++)
        results.push(await service.chat({ key: 'sk-bob', body: { user } }))
      expect(
        results.map(({ status }) => status),
        user,
      ).toEqual([200, 200, 200, 429])
      // The same user of another caller has a counter of its own.
      expect((await service.chat({ body: { user } })).status).toBe(200)
    }

    // What the primary gathers from all workers is for the operator.
    for (const path of ['requests', `requests/${annsId}`, 'overview?minutes=60', 'live', 'series?by=all']) {
      for (let count = 0; count < 2; count++) {
        expect((await call(`/console/api/${path}`, 'sk-bob')).status).toBe(401)
      }
    }

    // A response that another worker stored for another caller.
    const stored = await call('/v1/responses', 'sk-ann', {
      body: { model: 'fast', input: 'hi', store: true },
    })
    expect(stored.status).toBe(200)
    const { id } = JSON.parse(stored.text) as { id: string }
    for (let count = 0; count < 4; count++) {
      expect((await call(`/v1/responses/${id}`, 'sk-ann')).status).toBe(200)
      expect((await call(`/v1/responses/${id}`, 'sk-bob')).status).toBe(404)
    }
    const body = { model: 'fast', input: 'and?', previous_response_id: id }
    expect((await call('/v1/responses', 'sk-bob', { body })).status).toBeGreaterThanOrEqual(400)
    expect((await call('/v1/responses', 'sk-ann', { body })).status).toBe(200)
    expect(service.process.stderr()).not.toMatch(/cannot be read|ended|started again/)
  })

  it('logs at each reload what needs a restart, compared with what runs', async () => {
    const config = configOf('http://127.0.0.1:1')
    const service = await served(config, ['--no-watch'])
    // The last line of the start.
    await service.process.until(/Responses of the Responses API are .*\n/)
    const texts: string[] = []
    let end = service.process.stderr().length
    for (const server of [
      { ...config.server, port: 1, workers: 3 },
      { ...config.server, port: 1 },
      config.server,
    ]) {
      writeFileSync(service.file, JSON.stringify({ ...config, server }))
      service.process.child.kill('SIGHUP')
      await vi.waitFor(() => expect(service.process.stderr().slice(end)).toContain('reloaded.\n'), patience)
      texts.push(service.process.stderr().slice(end))
      end = service.process.stderr().length
    }
    const restart = (name: string) =>
      `${name} cannot change while the service runs. Restart it to apply the change.\n`
    expect(texts).toEqual([
      `${restart('server.port')}${restart('server.workers')}Configuration reloaded.\n`,
      `${restart('server.port')}Configuration reloaded.\n`,
      'Configuration reloaded.\n',
    ])
  })

  describe('a signal during the start', () => {
    /** A service whose processes print `reads N` and wait while they read the configuration: the primary, then its workers. */
    const starting = () => {
      const text = `process.stderr.write(\`reads \${process.env.SLUICE_WORKER ?? 'first'}\\n\`)
        await new Promise(resolve => setTimeout(resolve, 300))
        export default ${JSON.stringify(configOf('http://127.0.0.1:1'))}`
      return sluice(['serve'], { cwd: temporaryFolder({ 'sluice.config.mjs': text }) })
    }

    it.each(['first', '1/2'])('reloads once it is ready at SIGHUP, sent while %s reads', async reader => {
      const process = starting()
      await process.until(new RegExp(`reads ${reader}`))
      process.child.kill('SIGHUP')
      await process.until(/Configuration reloaded\./)
      expect(process.stderr()).toMatch(/with 2 workers\n[\s\S]*Configuration reloaded\.\n$/)
      process.child.kill('SIGTERM')
      expect(await process.exited).toBe(0)
      expect(process.stderr().match(/Configuration reloaded/g)).toHaveLength(1)
      expect(process.stderr()).not.toMatch(/ended|started again|Error/)
    })

    it.each([
      ['SIGTERM', 'first'],
      ['SIGTERM', '1/2'],
      ['SIGINT', '1/2'],
      ['SIGTERM', '2/2'],
    ] as const)('ends with 0 and without a worker at %s, sent while %s reads', async (signal, reader) => {
      const process = starting()
      await process.until(new RegExp(`reads ${reader}`))
      process.child.kill(signal)
      expect(await process.exited).toBe(0)
      expect(process.stderr()).not.toMatch(/Serving|ended|started again|Error/)
    })
  })

  it.each(['0', '-1', '1.5', 'all'])('refuses --workers %s', async workers => {
    const run = sluice(['serve', `--workers=${workers}`], {
      cwd: temporaryFolder({ 'sluice.config.json': JSON.stringify(configOf('http://127.0.0.1:9')) }),
    })
    expect(await run.exited).toBe(2)
    expect(run.stderr()).toContain(
      `--workers is '${workers}', expected a whole number from 1 to 1024, or auto.`,
    )
  })

  it('ends with the reason when no worker can start', async () => {
    const cwd = temporaryFolder({
      'sluice.config.json': JSON.stringify({
        ...configOf('http://127.0.0.1:9'),
        state: { database: 'file:/no/such/folder/sluice.db' },
      }),
    })
    const run = sluice(['serve'], { cwd })
    expect(await run.exited).toBe(1)
    expect(run.stderr()).toMatch(/state\.database/)
  })
})
