import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findClosedPort } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TypedConfig } from '../config/config.ts'
import { InvalidConfigError } from '../config/issues/invalid-config-error.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { Service } from './service.ts'
import { type ServiceContext, startService } from './start-service.ts'

const base: TypedConfig = {
  server: { port: 0 },
  providers: { local: {}, slow: { type: 'local', pace: { tokenMs: 20 } } },
  models: { demo: 'local/demo', slow: 'slow/demo' },
  keys: [{ id: 'ann', key: 'sk-ann' }],
  telemetry: { log: 'json' },
}

/** With a budget of which each request spends more than a hundredth. */
const alerting: TypedConfig = {
  ...base,
  prices: { demo: { input: 1, output: 1 } },
  limits: [{ kind: 'budget', limit: 0.01, currency: 'usd', per: 'day' }],
}

/** A webhook with a secret in its URL, and what was posted to it. */
async function webhook() {
  const posted: string[] = []
  const receiver = createServer(async (request, response) => {
    for await (const chunk of request) posted.push(String(chunk))
    response.writeHead(204).end()
  })
  await new Promise<void>(done => receiver.listen(0, '127.0.0.1', done))
  onTestFinished(() => void receiver.close())
  return { posted, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/s3cret` }
}

interface Started {
  readonly service: Service
  readonly printed: string[]
  readonly told: string[]
}

async function started(config: TypedConfig = base, given: Partial<ServiceContext> = {}): Promise<Started> {
  const printed: string[] = []
  const told: string[] = []
  const context: ServiceContext = {
    env: {},
    cwd: temporaryFolder(),
    print: text => void printed.push(text),
    log: text => void told.push(text),
    terminal: false,
    colours: false,
    now: Date.now,
    ...given,
  }
  const service = await startService(config, context)
  onTestFinished(() => service.close())
  return { service, printed, told }
}

function ask({ baseURL }: Service, body: object, key = 'sk-ann'): Promise<Response> {
  return fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Tell me of sluices' }], ...body }),
  })
}

function respond({ baseURL }: Service, body: object) {
  return fetch(`${baseURL}/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', input: 'Hello!', ...body }),
  })
}

describe('startService', () => {
  it('posts alerts, and says what could not be posted without its URL', async () => {
    const { posted, url } = await webhook()
    const { service, told } = await started({
      ...alerting,
      alerts: { webhooks: [{ url, allowPrivate: true }, { url }], budgets: { thresholds: [0.01] } },
    })
    for (let left = 4; left > 0; left--) await (await ask(service, { model: 'demo', max_tokens: 50 })).text()
    await service.close()
    expect(posted).toHaveLength(1)
    expect(JSON.parse(posted[0]!)).toMatchObject({ kind: 'budget', subject: { key: 'ann' }, threshold: 0.01 })
    expect(told.filter(line => line.startsWith('Alert'))).toEqual([
      'Alert failed (budget): The webhook has a private address. Set allowPrivate to call it.',
    ])
    expect(told.join()).not.toContain('s3cret')
  })

  it('posts an alert once for all services that share a database', async () => {
    const { posted, url } = await webhook()
    const config: TypedConfig = {
      ...alerting,
      state: { database: 'file:./own.db' },
      alerts: { webhooks: [{ url, allowPrivate: true }], budgets: { thresholds: [0.01] } },
    }
    const cwd = temporaryFolder()
    for (const { service, told } of [await started(config, { cwd }), await started(config, { cwd })]) {
      for (let left = 4; left > 0; left--)
        await (await ask(service, { model: 'demo', max_tokens: 50 })).text()
      await service.close()
      expect(told.filter(line => line.startsWith('Alert'))).toEqual([])
    }
    expect(posted).toHaveLength(1)
  })

  it('continues responses after a restart where there is a database, and nothing where none are stored', async () => {
    const cwd = temporaryFolder()
    const config = { ...base, state: { database: 'file:./own.db' } }
    const { service } = await started(config, { cwd })
    expect(service.responseStorage).toBe('stored in the database for 30 days')
    const { id } = (await (await respond(service, {})).json()) as { id: string }
    await service.close()
    const again = await started(config, { cwd })
    expect((await respond(again.service, { previous_response_id: id })).status).toBe(200)
    await again.service.reload({ ...config, responses: false })
    expect(again.told).toContain(
      'responses cannot change while the service runs. Restart it to apply the change.',
    )
    const off = await started({ ...config, responses: false }, { cwd })
    expect(await (await respond(off.service, {})).json()).toMatchObject({ store: false })
    expect((await respond(off.service, { previous_response_id: id })).status).toBe(400)
  })

  it('stores as many responses in memory as the configuration says', async () => {
    const { service } = await started({ ...base, responses: { maxResponses: 1 } })
    const ids = [await respond(service, {}), await respond(service, {})].map(each => each.json())
    const [first, second] = (await Promise.all(ids)) as { id: string }[]
    expect((await respond(service, { previous_response_id: first!.id })).status).toBe(400)
    expect((await respond(service, { previous_response_id: second!.id })).status).toBe(200)
  })

  it('refuses a store of responses that the state has not', async () => {
    await expect(started({ ...base, responses: { store: 'redis' } })).rejects.toThrow(
      /responses\.store.*'redis' without state\.redis/s,
    )
  })

  it('logs and counts that an issuer of tokens does not answer', async () => {
    const jwks = `http://127.0.0.1:${await findClosedPort()}/keys`
    const jwt = { jwks, issuer: 'https://login.example', audience: 'llm' }
    const { service, printed } = await started({ ...base, jwt })
    const coded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const claims = { iss: jwt.issuer, aud: 'llm', exp: Math.floor(Date.now() / 1_000) + 600 }
    const token = `${coded({ alg: 'RS256', kid: 'one' })}.${coded(claims)}.${'x'.repeat(342)}`
    expect((await ask(service, { model: 'demo' }, token)).status).toBe(503)
    expect(printed.map(line => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ store: 'keys', state: 'failing' }),
    )
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      'sluice_store_failing{store="keys"} 1',
    )
  })

  it('serves the protocol, probes and metrics, and writes one line a request', async () => {
    const { service, printed } = await started()
    const answer = await ask(service, { model: 'demo' })
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as { model: string }).model).toBe('demo')
    expect(service.baseURL).toBe(`${service.url}/v1`)
    expect(service.consoleURL).toBeUndefined()
    for (const path of ['/healthz', '/readyz']) expect((await fetch(service.url + path)).status).toBe(200)
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /^sluice_requests_total\{.*demo.*\} 1$/m,
    )
    expect((await fetch(`${service.url}/console/`)).status).toBe(404)
    expect(await (await fetch(`${service.url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.1' })
    expect(printed).toHaveLength(1)
    expect(JSON.parse(printed[0]!)).toMatchObject({ model: 'demo' })
    expect(printed[0]).not.toContain('sluices')
  })

  it('fails readiness first when it closes, and answers meanwhile', async () => {
    const { service } = await started({ ...base, server: { ...base.server, shutdownDelayMs: 1_000 } })
    const closed = service.close()
    const statuses = await Promise.all(
      ['/readyz', '/healthz'].map(async path => (await fetch(service.url + path)).status),
    )
    expect(statuses).toEqual([503, 200])
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
    await closed
    await expect(fetch(`${service.url}/readyz`)).rejects.toThrow()
  })

  it('opens metrics and console to who has their keys', async () => {
    const adminKey = 'admin-admin-admin'
    const { service } = await started({
      ...base,
      console: { adminKey },
      telemetry: { metrics: { token: 'collector' }, log: 'off' },
    })
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401)
    expect(
      (await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer collector' } })).status,
    ).toBe(200)
    expect(service.consoleURL).toBe(`${service.url}/console/`)
    const about = `${service.consoleURL}api/about`
    expect((await fetch(about)).status).toBe(401)
    const shown = await fetch(about, { headers: { authorization: `Bearer ${adminKey}` } })
    expect(await shown.json()).toMatchObject({ models: ['demo', 'slow'], keys: false })
  })

  it('shows its alerts and its hooks in the console, also after a reload, to who has the admin key', async () => {
    const adminKey = 'admin-admin-admin'
    const config: TypedConfig = {
      ...base,
      console: { adminKey },
      prices: { demo: { input: 1, output: 1 } },
      limits: [{ kind: 'budget', limit: 0.01, currency: 'usd', per: 'day' }],
      alerts: { budgets: { thresholds: [0.01] } },
      hooks: [{ type: 'redact', name: 'hide' }],
    }
    const { service } = await started(config)
    const read = async (path: string, key = adminKey) => {
      const answer = await fetch(`${service.consoleURL}api/${path}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      return answer.ok ? answer.json() : answer.status
    }
    for (let left = 4; left > 0; left--) await (await ask(service, { model: 'demo', max_tokens: 50 })).text()
    await expect
      .poll(() => read('alerts'))
      .toMatchObject({
        alerts: [{ kind: 'budget', delivery: 'no_webhooks', text: expect.stringContaining('key ann') }],
      })
    expect(await read('hooks')).toMatchObject({ hooks: [{ name: 'hide' }] })
    expect([await read('alerts', 'sk-ann'), await read('hooks', 'sk-ann')]).toEqual([401, 401])
    const own = { name: 'own', onRequest: () => undefined }
    await service.reload({ ...config, hooks: [{ type: 'redact', name: 'hide' }, own] })
    expect(await read('hooks')).toMatchObject({ hooks: [{ name: 'hide' }, { name: 'own' }] })
    await service.reload({ ...config, hooks: [] })
    expect(await read('hooks')).toEqual({ hooks: [] })
    expect(await read('alerts')).toMatchObject({ alerts: [{ kind: 'budget' }] })
  })

  it('keeps issued keys and the ledger in a file, closed with the service', async () => {
    const cwd = temporaryFolder()
    const config = { ...base, state: { database: 'file:./kept.db', pepper: 'a-pepper' } }
    const { service } = await started(config, { cwd })
    const { key } = await service.keys!.issue({ name: 'one', models: ['demo'] })
    expect((await ask(service, { model: 'demo' }, key)).status).toBe(200)
    await service.close()
    const { service: again } = await started(config, { cwd })
    expect((await ask(again, { model: 'slow' }, key)).status).toBe(403)
    expect(await again.usage!({ by: ['model'] })).toMatchObject([{ by: { model: 'demo' }, requests: 1 }])
  })

  it('lets pages of other origins call the protocol, and nothing else', async () => {
    const origin = 'https://app.example'
    const { service } = await started({ ...base, server: { port: 0, cors: [origin] } })
    const allowed = async (path: string) =>
      (await fetch(service.url + path, { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await allowed('/v1/models')).toBe(origin)
    expect(await allowed('/metrics')).toBeNull()
  })

  it('refuses a configuration with faults, and a port that another has, and leaves nothing open', async () => {
    await expect(started({ ...base, models: { demo: 'nobody/x' } })).rejects.toThrow(InvalidConfigError)
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    await expect(
      started({ ...base, server: { port }, state: { database: 'file:./one.db' } }),
    ).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}: another program uses that port`)
  })

  it('takes prices from a package of the project', async () => {
    const { service, printed } = await started({
      ...base,
      providers: { local: {}, slow: { type: 'local' } },
      prices: 'genai-prices',
    })
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
    // It knows no such vendor.
    expect(JSON.parse(printed[0]!)).toMatchObject({ costUsd: null })
  })
})

describe('bundled prices', () => {
  // The stand-in answers as a model of the vendor.
  const config: TypedConfig = {
    ...base,
    providers: { openai: { type: 'local' } },
    models: { demo: 'openai/gpt-4o-mini' },
  }
  const named = { ...config, bundledPrices: { providers: { openai: 'openai' } } }
  const costOf = async ({ service, printed }: Started): Promise<unknown> => {
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
    return (JSON.parse(printed.at(-1)!) as { costUsd: unknown }).costUsd
  }

  it('apply by default, to known vendors', async () => {
    expect(await costOf(await started(named))).toBeGreaterThan(0)
    expect(await costOf(await started(config))).toBeNull()
  })

  it('can be replaced by model, and turned off', async () => {
    const prices = { demo: { input: 0, output: 0, perRequest: 7 } }
    expect(await costOf(await started({ ...named, prices }))).toBe(7)
    expect(await costOf(await started({ ...config, prices, bundledPrices: false }))).toBe(7)
    expect(await costOf(await started({ ...named, prices: false }))).toBeNull()
    expect(await costOf(await started({ ...config, bundledPrices: false }))).toBeNull()
  })

  it('warn of a file that is not there, and of an invalid URL', async () => {
    const refresh = { from: 'none.json' }
    const { printed } = await started({ ...named, bundledPrices: { ...named.bundledPrices, refresh } })
    await expect
      .poll(() => printed.join(''))
      .toContain('The prices could not be loaded: ENOENT. The last valid prices apply.')
    await expect(
      started({ ...named, bundledPrices: { refresh: { from: 'http://u:secret@host.example/' } } }),
    ).rejects.toThrow(/bundledPrices\.refresh\.from(?!.*secret)/)
  })

  it('are refreshed after a reload that failed, as the service still has them', async () => {
    const loads: Record<string, number> = {}
    const host = createServer(({ url = '' }, response) => {
      loads[url] = (loads[url] ?? 0) + 1
      response.writeHead(503).end()
    })
    await new Promise<void>(done => host.listen(0, '127.0.0.1', done))
    onTestFinished(() => void host.close())
    const refreshedFrom = (path: string): TypedConfig => ({
      ...named,
      responses: false,
      bundledPrices: {
        ...named.bundledPrices,
        refresh: { from: `http://127.0.0.1:${(host.address() as AddressInfo).port}${path}`, intervalMs: 1 },
      },
    })
    const running = await started(refreshedFrom('/first'))
    const loadsOf = async (path: string) => {
      await costOf(running)
      return loads[path] ?? 0
    }
    const isRefreshed = async (path: string) => {
      const before = loads[path] ?? 0
      await expect.poll(() => loadsOf(path)).toBeGreaterThan(before)
    }
    await isRefreshed('/first')

    const invalid = { ...refreshedFrom('/second'), gateway: { background: {} } }
    await expect(running.service.reload(invalid)).rejects.toThrow('background')
    await isRefreshed('/first')
    await running.service.reload(refreshedFrom('/third'))
    await isRefreshed('/third')
  })
})

describe('reload', () => {
  it('takes another configuration while streams of the last one come to their end', async () => {
    const { service, told } = await started()
    const stream = await ask(service, { model: 'slow', stream: true })
    const reader = stream.body!.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader.read()).value, { stream: true })
    expect(text).not.toContain('[DONE]')

    await service.reload({
      ...base,
      models: { fresh: 'local/fresh' },
      server: { port: 0, basePath: '/api/v1' },
    })
    expect((await ask(service, { model: 'fresh' })).status).toBe(200)
    expect(service.baseURL).toBe(`${service.url}/api/v1`)
    expect((await ask(service, { model: 'slow' })).status).toBe(404)

    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    expect(text.trimEnd()).toMatch(/data: \[DONE\]$/)
    expect(told).toEqual([])
  })

  it('keeps the last good one where the next has faults', async () => {
    const { service } = await started()
    const bad: TypedConfig = { ...base, models: { demo: 'nobody/x', other: 'locl/x' } }
    await expect(service.reload(bad)).rejects.toThrow(/2 errors/)
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
    await service.reload({ ...base, models: { demo: 'local/again' } })
    expect(service.gateway.models).toEqual(['demo'])
  })

  it('tells what it cannot change while it runs, and changes the rest', async () => {
    const { service, told } = await started()
    await service.reload({
      ...base,
      server: { port: 1, host: '0.0.0.0' },
      state: { database: 'postgres://me:hunter2@nowhere/db' },
      models: { demo: 'local/demo', more: 'demo' },
    })
    expect(told).toEqual(
      ['server.host', 'server.port', 'state'].map(
        path => `${path} cannot change while the service runs. Restart it to apply the change.`,
      ),
    )
    expect(service.gateway.models).toEqual(['demo', 'more'])
    expect(service.keys).toBeUndefined()
  })

  it('keeps counts of limits, metrics, and what is known of vendors that stay', async () => {
    const limited: TypedConfig = { ...base, limits: [{ kind: 'requests', limit: 2, per: 'hour' }] }
    const { service } = await started(limited)
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
    await service.reload({ ...limited, models: { ...limited.models, more: 'demo' } })
    expect((await ask(service, { model: 'more' })).status).toBe(200)
    expect((await ask(service, { model: 'demo' })).status).toBe(429)
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /^sluice_requests_total\{.*429.*\} 1$/m,
    )
  })

  it('opens, moves and closes the console', async () => {
    const { service } = await started()
    await service.reload({ ...base, console: { adminKey: 'admin-admin-admin' } })
    expect((await fetch(service.consoleURL!)).status).toBe(200)
    await service.reload(base)
    expect(service.consoleURL).toBeUndefined()
    expect((await fetch(`${service.url}/console/`)).status).toBe(404)
  })

  it('lets the console call as itself, also beside authenticators of code, and as the configuration says', async () => {
    const console = { adminKey: 'admin-admin-admin' }
    const { service } = await started({ ...base, console })
    const chat = async () => {
      const response = await fetch(`${service.consoleURL}api/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${console.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await response.text()
      return response.status
    }
    expect(await chat()).toBe(200)
    expect((await ask(service, { model: 'demo' }, console.adminKey)).status).toBe(401)
    await service.reload({ ...base, console, gateway: { authenticate: () => undefined } })
    expect(await chat()).toBe(200)
    expect((await ask(service, { model: 'demo' })).status).toBe(401)
    const limits = [{ kind: 'requests', limit: 1, per: 'hour' }] as const
    await service.reload({ ...base, console: { ...console, chat: { limits } } })
    expect([await chat(), await chat()]).toEqual([200, 429])
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
    await service.reload({ ...base, console: { ...console, chat: { models: ['slow'] } } })
    expect(await chat()).toBe(403)
    await service.reload({ ...base, console: { ...console, chat: false } })
    expect(await chat()).toBe(404)
  })

  it('is not held up to its drain by somebody who watches the console', async () => {
    const adminKey = 'admin-admin-admin'
    const { service } = await started({ ...base, console: { adminKey } })
    const live = await fetch(`${service.consoleURL}api/live`, {
      headers: { authorization: `Bearer ${adminKey}` },
    })
    expect(live.status).toBe(200)
    const reading = live.text()
    await service.close()
    await reading.catch(() => {})
  })

  it('leaves nothing behind, however often it happens', async () => {
    const { service } = await started({ ...base, maxInFlight: 100 })
    const resources = () => process.getActiveResourcesInfo().filter(name => name !== 'Timeout').length
    await service.reload(base)
    const before = resources()
    for (let round = 0; round < 50; round++) {
      await service.reload({ ...base, maxInFlight: 10 + round, models: { demo: `local/${round}` } })
    }
    // A leak would be one for each round; connections of other tests may come and go.
    expect(resources()).toBeLessThan(before + 25)
    expect((await ask(service, { model: 'demo' })).status).toBe(200)
  })
})
