import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openPostgres } from '@sluice/postgres'
import { openSqlite } from '@sluice/sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Finding } from '../../../packages/cli/src/doctor/finding.ts'
import { type DoctorOptions, runDoctor } from '../../../packages/cli/src/doctor/run-doctor.ts'
import { fakeCommandContext } from '../../../packages/cli/src/fake-command-context.ts'
import { main } from '../../../packages/cli/src/main.ts'
import { describeWithPostgres } from '../../stores/servers/describe-with-postgres.ts'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { PostgresServer } from '../../stores/servers/postgres-server.ts'
import { RedisServer } from '../../stores/servers/redis-server.ts'
import { temporaryFolder } from './running-dev.ts'

const key = 'sk-canary-0123456789'
const caller = { id: 'me', key: `\${CALLER_KEY}` }
const env = { VENDOR_KEY: key, CALLER_KEY: 'sk-caller-0123456789' }

/** A vendor on this machine. Resolves to its base URL. */
async function vendor(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise(resolve => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** One that lists its models to whoever has the key. */
const listsModels: RequestListener = (request, response) => {
  const isKnown = request.headers.authorization === `Bearer ${key}`
  response.writeHead(request.url !== '/v1/models' ? 404 : isKnown ? 200 : 401).end('{}')
}

interface Given {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly options?: DoctorOptions
  readonly now?: () => number
}

/** What the doctor finds with a configuration, by what was checked. */
async function findings(config: object, given: Given = {}): Promise<ReadonlyMap<string, Finding>> {
  const cwd = given.cwd ?? temporaryFolder()
  const file = join(cwd, 'sluice.config.json')
  writeFileSync(file, JSON.stringify({ server: { port: 0 }, keys: [caller], ...config }), { mode: 0o600 })
  const { context } = fakeCommandContext({ cwd, env: { ...env, ...given.env }, now: given.now ?? Date.now })
  const found = await runDoctor(context, { deadlineMs: 2_000, ...given.options })
  expect(JSON.stringify(found)).not.toMatch(/canary|hush/)
  for (const { status, fix } of found) expect(fix === undefined).toBe(status === 'ok')
  return new Map(found.map(finding => [finding.check, finding]))
}

const provided = (baseURL: string) => ({
  providers: { mine: { type: 'openai-compatible', baseURL, apiKey: `\${VENDOR_KEY}` } },
  models: { demo: 'mine/demo' },
})
const local = { providers: { local: {} }, models: { demo: 'local/demo' } }

describe('sluice doctor', () => {
  it('finds nothing wrong with a good configuration, and ends with 0', async () => {
    const cwd = temporaryFolder()
    const state = { database: 'file:./sluice.db' }
    await findings({ ...provided(await vendor(listsModels)), state }, { cwd })
    const file = join(cwd, 'sluice.config.json')
    for (const option of [[], ['--json'], ['--config', file]]) {
      const { context, printed } = fakeCommandContext({ cwd, env: { ...env } })
      expect(await main(['doctor', ...option], context)).toBe(0)
      expect(printed()).not.toContain('canary')
      if (option[0] === '--json') {
        const { ok, findings: all } = JSON.parse(printed()) as { ok: boolean; findings: Finding[] }
        expect([ok, ...new Set(all.map(({ status }) => status))]).toEqual([true, 'ok'])
      } else expect(printed()).toMatch(/^ok +provider mine +127\.0\.0\.1:\d+ answers, and accepts the key$/m)
    }
  })

  it('ends with 1 where there is an error, and says how to fix it', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify({ models: { demo: 'nobody/demo' } }))
    const { context, printed } = fakeCommandContext({ cwd, colours: true })
    expect(await main(['doctor'], context)).toBe(1)
    expect(printed()).toContain('\u001B[31merror  \u001B[39m  configuration, models.demo')
    expect(printed()).toContain('Fix: ')
  })

  it('checks the vendors of the environment where there is no configuration', async () => {
    const OPENAI_BASE_URL = await vendor(listsModels)
    const { context } = fakeCommandContext({
      cwd: temporaryFolder(),
      env: { OPENAI_API_KEY: key, OPENAI_BASE_URL, PORT: '0' },
    })
    const found = await runDoctor(context, { deadlineMs: 2_000 })
    expect(found).toContainEqual(expect.objectContaining({ check: 'provider openai', status: 'ok' }))
    expect(found).toContainEqual(expect.objectContaining({ check: 'key of provider openai', status: 'ok' }))
  })

  it('needs a Node that is new enough', async () => {
    const old = await findings(local, { options: { nodeVersion: '20.18.3' } })
    expect(old.get('Node.js')).toMatchObject({ status: 'error', fix: expect.stringContaining('20.19') })
    expect((await findings(local)).get('Node.js')).toMatchObject({ status: 'ok' })
  })

  it('knows a port that is in use', async () => {
    const { port } = new URL(await vendor(listsModels))
    const found = await findings({ ...local, server: { port: Number(port) } })
    expect(found.get('port')).toMatchObject({ status: 'warning', fix: expect.stringContaining('--port') })
    expect((await findings({ ...local, server: { host: '192.0.2.1' } })).get('port')).toMatchObject({
      status: 'error',
      message: expect.stringContaining('no address of this machine'),
    })
  })

  it.each([
    [401, 'error', 'rejects the key (401)'],
    [403, 'error', 'rejects the key (403)'],
    [429, 'warning', 'rate limit'],
    [503, 'warning', 'answers 503'],
    [404, 'ok', 'its key is not checked'],
  ])('takes a vendor that answers %i for %s', async (status, expected, message) => {
    const found = await findings(provided(await vendor((_, response) => response.writeHead(status).end())))
    expect(found.get('provider mine')).toMatchObject({
      status: expected,
      message: expect.stringContaining(message),
    })
  })

  it('does not take a list of models that needs no key for proof of one', async () => {
    const found = await findings(provided(await vendor((_, response) => response.end('{}'))))
    expect(found.get('provider mine')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('its key is not checked, as its list of models needs none'),
    })
  })

  it('checks each key of a provider', async () => {
    const baseURL = await vendor(listsModels)
    const apiKey = [`\${VENDOR_KEY}`, 'sk-hush-0123456789']
    const found = await findings({
      ...local,
      providers: { mine: { type: 'groq', baseURL, apiKey }, local: {} },
    })
    expect(found.get('provider mine, key 1')).toMatchObject({ status: 'ok' })
    expect(found.get('provider mine, key 2')).toMatchObject({ status: 'error' })
  })

  it('says that a provider without chat is not checked', async () => {
    const found = await findings({
      ...local,
      providers: { voyage: { apiKey: `\${VENDOR_KEY}` }, local: {} },
    })
    expect(found.get('provider voyage')).toMatchObject({ status: 'warning' })
  })

  it('gives up on a vendor that does not answer', async () => {
    const found = await findings(provided(await vendor(() => {})), { options: { deadlineMs: 300 } })
    expect(found.get('provider mine')).toMatchObject({
      status: 'error',
      message: expect.stringContaining('did not answer within 300 ms'),
    })
  })

  it.each([
    ['ENOTFOUND', 'is not found'],
    ['ECONNREFUSED', 'Cannot connect'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ])('says what %s means', async (code, message) => {
    const fails = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('hush'), { code }) })
    }
    const found = await findings(provided('https://vendor.test/v1'), { options: { fetch: fails } })
    expect(found.get('provider mine')).toMatchObject({
      status: 'error',
      message: expect.stringContaining(message),
    })
    expect(found.get('provider mine')?.message).toContain(code)
  })

  it.each([
    [0, 'ok'],
    [60_000, 'warning'],
    [-3_600_000, 'error'],
  ])('compares the clock, which differs by %i ms', async (difference, status) => {
    const baseURL = await vendor(listsModels)
    const found = await findings(provided(baseURL), { now: () => Date.now() + difference })
    expect(found.get('clock')).toMatchObject({ status })
  })

  it.each([
    ...['sk-...', '<your key>', 'changeme', 'xxxxxxxxxxxx', 'your-api-key', 'short'],
    // Of deploy/kubernetes/examples/secret.yaml.
    ...['replace-me', 'sk-replace-me', 'sk-ant-replace-me'],
  ])('takes %s for a placeholder', async placeholder => {
    const given = { env: { VENDOR_KEY: placeholder, CALLER_KEY: placeholder } }
    const found = await findings(provided(await vendor(listsModels)), given)
    for (const check of ['key of provider mine', 'key of caller me'])
      expect(found.get(check)).toMatchObject({ status: 'warning' })
  })

  it('takes placeholders for what they are in secrets that are not keys', async () => {
    const configured = {
      ...local,
      console: { adminKey: `\${SECRET}` },
      jwt: { secret: `\${SECRET}`, issuer: 'https://issuer.test', audience: 'us' },
      telemetry: { metrics: { token: `\${SECRET}` } },
      state: { pepper: { v2: `\${SECRET}`, v1: `\${SECRET}` } },
    }
    const checks = [
      ...['console.adminKey', 'jwt.secret', 'telemetry.metrics.token'],
      ...['state.pepper.v2', 'state.pepper.v1'],
    ]
    for (const [secret, status] of [
      ['your-secret-of-at-least-thirty-two-bytes', 'warning'],
      ['hush-0123456789-0123456789-0123456789', 'ok'],
    ] as const) {
      const found = await findings(configured, { env: { SECRET: secret } })
      expect(checks.map(check => found.get(check)?.status)).toEqual(checks.map(() => status))
    }
    const single = { ...local, state: { pepper: `\${SECRET}` } }
    const found = await findings(single, { env: { SECRET: 'replace-me' } })
    expect(found.get('state.pepper')).toMatchObject({ status: 'warning' })
  })

  it('finds budgets that reject models without a price', async () => {
    const limits = [{ kind: 'budget', limit: 5, per: 'day', currency: 'usd' }]
    expect((await findings({ ...local, limits })).get('budget limits[0]')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('demo (local/demo)'),
      fix: expect.stringContaining('unpriced: allow'),
    })
    const priced = await findings({ ...local, limits, prices: { demo: { input: 0, output: 0 } } })
    expect([...priced.keys()].filter(check => check.startsWith('budget'))).toEqual([])
  })

  it('finds keys in files, and files that others can read or change', async () => {
    const cwd = temporaryFolder()
    const name = 'file sluice.config.json'
    const file = join(cwd, 'sluice.config.json')
    expect((await findings(local, { cwd })).get(name)).toMatchObject({ status: 'ok' })
    const literal = { ...local, keys: [{ id: 'me', key: 'sk-hush-0123456789' }] }
    chmodSync(file, 0o644)
    expect((await findings(literal, { cwd })).get(name)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('plain text, and other users can read it'),
    })
    expect(readFileSync(file, 'utf8')).toContain('hush')
    chmodSync(file, 0o666)
    expect((await findings(local, { cwd })).get(name)).toMatchObject({ fix: expect.stringContaining('go-w') })
    writeFileSync(join(cwd, '.env'), `VENDOR_KEY=${key}`, { mode: 0o644 })
    expect((await findings(local, { cwd })).get('file .env')).toMatchObject({ fix: 'Run: chmod 600 .env' })
    chmodSync(join(cwd, '.env'), 0o600)
    expect((await findings(local, { cwd })).get('file .env')).toMatchObject({ status: 'ok' })
  })

  it('finds passwords, tokens and secrets of all sections in files', async () => {
    const cwd = temporaryFolder()
    const found = async (more: object) =>
      (await findings({ ...local, ...more }, { cwd })).get('file sluice.config.json')
    const refused: typeof fetch = async () => {
      throw new TypeError('fetch failed')
    }
    const vertex = { vertex: { project: 'p', location: 'global', token: 'ya29.hush-0123456789' }, local: {} }
    expect(
      (await findings({ ...local, providers: vertex }, { cwd, options: { fetch: refused } })).get(
        'file sluice.config.json',
      ),
    ).toMatchObject({ status: 'warning' })
    for (const more of [
      { state: { redis: 'redis://u:hush-0123456789@127.0.0.1:1' } },
      { state: { pepper: { v1: 'hush-0123456789' } } },
      { telemetry: { metrics: { token: 'hush-0123456789' } } },
      { console: { adminKey: 'hush-0123456789-abcdef' } },
    ])
      expect(await found(more), JSON.stringify(more)).toMatchObject({
        status: 'warning',
        message: expect.stringContaining('a key or a password'),
      })
  })

  describe('checks credentials of clouds without a call', () => {
    const now = Date.parse('2026-03-01T12:00:00Z')
    const jwt = (claims: object) =>
      ['{"alg":"RS256"}', JSON.stringify(claims), 'hush']
        .map(part => Buffer.from(part).toString('base64url'))
        .join('.')
    const hours = (count: number) => now / 1_000 + count * 3_600
    const shortTerm = (region: string) =>
      `bedrock-api-key-${Buffer.from(
        `bedrock.amazonaws.com/?Action=CallWithBearerToken&X-Amz-Credential=ASIAHUSH%2F20260301%2F${region}%2Fbedrock%2Faws4_request&X-Amz-Date=20260301T100000Z&X-Amz-Expires=3600&Version=1`,
      ).toString('base64')}`
    const azure = { type: 'azure', resource: 'ours' }
    const vertex = { type: 'vertex', project: 'p', location: 'global' }
    const bedrock = { type: 'bedrock', region: 'us-east-1' }
    const secretAccessKey = 'hush'.repeat(10)

    it.each<[string, object, string, string]>([
      ['a key of Azure', { ...azure, apiKey: '0123456789abcdef'.repeat(2) }, 'ok', 'form of keys of Azure'],
      ['a key of another vendor', { ...azure, apiKey: 'sk-hush-0123456789' }, 'warning', '32 hexadecimal'],
      ['an expired token', { ...azure, token: jwt({ exp: hours(-1) }) }, 'error', 'expired 60 minutes ago'],
      ['a fresh token', { ...azure, token: jwt({ exp: hours(0.5) }) }, 'warning', 'expires in 30 minutes'],
      [
        'a token of another API',
        { ...azure, token: jwt({ exp: hours(1), aud: 'https://management.core.windows.net/' }) },
        'error',
        'another API of Azure',
      ],
      ['a token of Google', { ...vertex, token: 'ya29.hush' }, 'warning', 'is fixed'],
      ['a key as a token of Google', { ...vertex, token: 'AIzahush' }, 'error', 'no access token'],
      ['a long-term key', { ...bedrock, bearerToken: 'ABSKhush' }, 'ok', 'API key of Bedrock'],
      [
        'a short-term key',
        { ...bedrock, bearerToken: shortTerm('us-east-1') },
        'error',
        'expired 60 minutes',
      ],
      ['one of a region', { ...bedrock, bearerToken: shortTerm('eu-west-1') }, 'error', 'another region'],
      ['another text', { ...bedrock, bearerToken: 'hush' }, 'warning', 'not the form'],
      [
        'permanent credentials',
        { ...bedrock, credentials: { accessKeyId: 'AKIAHUSH0123456789AB', secretAccessKey } },
        'ok',
        'form of credentials of AWS',
      ],
      [
        'temporary credentials',
        { ...bedrock, credentials: { accessKeyId: 'ASIAHUSH0123456789AB', secretAccessKey } },
        'error',
        'no sessionToken',
      ],
      [
        'permanent ones with a session',
        {
          ...bedrock,
          credentials: { accessKeyId: 'AKIAHUSH0123456789AB', secretAccessKey, sessionToken: 'hush' },
        },
        'error',
        'sessionToken of another',
      ],
      [
        'swapped ones',
        {
          ...bedrock,
          credentials: { accessKeyId: secretAccessKey, secretAccessKey: 'AKIAHUSH0123456789AB' },
        },
        'warning',
        'AKIA or ASIA',
      ],
    ])('%s', async (_, cloud, status, message) => {
      const fails: typeof fetch = async () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) })
      }
      const found = await findings(
        { ...local, providers: { cloud, local: {} } },
        { now: () => now, options: { fetch: fails } },
      )
      expect(found.get('credentials of provider cloud')).toMatchObject({
        status,
        message: expect.stringContaining(message),
      })
    })

    it('takes the keys of the environment, and knows no form behind another host', async () => {
      vi.stubEnv('AZURE_OPENAI_API_KEY', 'sk-hush-0123456789')
      onTestFinished(() => void vi.unstubAllEnvs())
      const fails: typeof fetch = async () => {
        throw new TypeError('fetch failed')
      }
      const given = { env: { AZURE_OPENAI_API_KEY: 'sk-hush-0123456789' }, options: { fetch: fails } }
      const found = async (cloud: object) =>
        (await findings({ ...local, providers: { cloud, local: {} } }, given)).get(
          'credentials of provider cloud',
        )
      expect(await found(azure)).toMatchObject({ status: 'warning' })
      expect(await found({ type: 'azure', baseURL: 'http://127.0.0.1:1' })).toBeUndefined()
    })
  })

  it('opens an SQLite file, and creates and migrates none', async () => {
    const cwd = temporaryFolder()
    const found = (database: string) => findings({ ...local, state: { database } }, { cwd })
    const url = 'file:./sluice.db'
    expect((await found(url)).get('database')?.message).toContain('is not there yet')
    expect((await found('file:./nowhere/sluice.db')).get('database')).toMatchObject({ status: 'error' })
    await (await openSqlite({ url: `file:${join(cwd, 'sluice.db')}` })).close()
    expect((await found(url)).get('database')).toMatchObject({ status: 'ok' })
    writeFileSync(join(cwd, 'old.db'), '')
    expect((await found('file:./old.db')).get('database')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('older version'),
    })
    expect(readFileSync(join(cwd, 'old.db'), 'utf8')).toBe('')
    writeFileSync(join(cwd, 'text.db'), 'no database at all, but a text of some length')
    expect((await found('file:./text.db')).get('database')).toMatchObject({ status: 'error' })
  })

  it('says that PostgreSQL and Redis cannot be reached, without their passwords', async () => {
    const state = { database: 'postgres://u:hush@127.0.0.1:1/db', redis: 'redis://u:hush@127.0.0.1:1' }
    const found = await findings({ ...local, state })
    for (const check of ['database', 'Redis'])
      expect(found.get(check)).toMatchObject({
        status: 'error',
        message: expect.stringContaining('ECONNREFUSED'),
      })
  })
})

describeWithPostgres('sluice doctor with PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it('wants its tables, and a server that can be written', async () => {
    const name = await server.database()
    const found = async () =>
      (await findings({ ...local, state: { database: server.url(name) } })).get('database')
    expect(await found()).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^state\.database: The tables [^`]* than this package needs\.$/),
      fix: 'Set DATABASE_URL to the URL of state.database, and run: npx sluice-postgres migrate',
    })
    const database = await openPostgres(server.pool(name), { migrate: true })
    await database.close()
    expect(await found()).toMatchObject({ status: 'ok', message: expect.stringMatching(/^PostgreSQL \d+/) })
    await server.run(`alter database ${name} set default_transaction_read_only = on`)
    expect(await found()).toMatchObject({ status: 'error', message: expect.stringContaining('read-only') })
  })
})

describeWithRedis('sluice doctor with Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.stop())

  it('wants one that evicts nothing and knows the password, and compares its clock', async () => {
    const found = (redis: string, now?: () => number) =>
      findings({ ...local, state: { redis } }, now === undefined ? {} : { now })
    const good = await found(server.url)
    expect(good.get('Redis')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/(?:Redis|Valkey) \d+/),
    })
    expect(good.get('Redis eviction')).toMatchObject({ status: 'ok' })
    expect(good.get('clock')).toMatchObject({ status: 'ok' })
    const late = await found(server.url, () => Date.now() - 600_000)
    expect(late.get('clock')).toMatchObject({
      status: 'error',
      message: expect.stringContaining('behind Redis'),
    })
    await server.command('CONFIG', 'SET', 'maxmemory', '100mb')
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    expect((await found(server.url)).get('Redis eviction')).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('noeviction'),
    })
    await server.command('ACL', 'SETUSER', 'few', 'on', '>hush', '~*', '+@all', '-@dangerous')
    const limited = await found(server.url.replace('redis://', 'redis://few:hush@'))
    expect(limited.get('Redis')).toMatchObject({ status: 'warning', fix: expect.stringContaining('+info') })
    await server.command('CONFIG', 'SET', 'requirepass', 'hush')
    expect((await found(server.url)).get('Redis')).toMatchObject({
      status: 'error',
      message: expect.stringContaining('NOAUTH'),
    })
  })
})
