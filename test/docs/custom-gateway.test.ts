import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiKeys, type Gateway, type ManagedGateway } from '@sluice/core'
import { expect, it } from 'vitest'
import {
  defaultPacing,
  defaultRequestLimits,
  defaultTimeouts,
} from '../../packages/core/src/gateway/config.ts'
import { type Asking, ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { root, tableUnder } from './runner/markdown.ts'

const here = 'http://sluice.test/v1'

async function gatewayOf(snippet: Snippet, env = {}, edit?: (code: string) => string) {
  const running = await snippet.run(env, edit)
  const { fetch } = running.exports.gateway as Gateway
  return { running, asking: (asking: Asking = {}) => ask(here, { fetch, ...asking }) }
}

const chatRequest = () =>
  new Request(`${here}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })

describePage('docs/custom-gateway.md', {
  minimal: async snippet => {
    const { asking, running } = await gatewayOf(snippet)
    expect(await asking({ model: 'demo' })).toMatchObject({ status: 200 })
    const gateway = running.exports.gateway as ManagedGateway
    const named = tableUnder('docs/custom-gateway.md', '## Methods of a gateway').map(
      ([name = '']) => /\w+/.exec(name)![0],
    )
    expect(named.sort()).toEqual(Object.keys(gateway).sort())
  },

  'key-store': async snippet => {
    const { asking } = await gatewayOf(snippet)
    expect(await asking({ key: 'sk-ann', model: 'small' })).toMatchObject({ status: 200 })
    expect(await asking({ key: 'sk-ann', model: 'large' })).toMatchObject({ status: 403 })
    expect(await asking({ key: 'sk-old', model: 'small' })).toMatchObject({ status: 401 })
    expect(await asking({ key: 'sk-none', model: 'small' })).toMatchObject({ status: 401 })
    const failing = await gatewayOf(snippet, {}, code =>
      code.replace('table.get(digest)', "{ throw new Error('down') }"),
    )
    expect(await failing.asking({ key: 'sk-ann', model: 'small' })).toMatchObject({
      status: 503,
      code: 'authentication_unavailable',
    })
  },

  'key-hashes': async snippet => {
    const { asking } = await gatewayOf(snippet)
    expect(await asking({ key: 'sk-ann' })).toMatchObject({ status: 200 })
    expect(await asking({ key: 'sk-bob' })).toMatchObject({ status: 401 })
  },

  pepper: async snippet => {
    const { asking, running } = await gatewayOf(snippet, { PEPPER_V1: 'old', PEPPER_V2: 'new' })
    expect(await asking({ key: 'sk-ann' })).toMatchObject({ status: 200 })
    expect(await asking({ key: 'sk-bob' })).toMatchObject({ status: 200 })
    expect(await asking({ key: 'sk-eve' })).toMatchObject({ status: 401 })
    const table = running.exports.table as ReadonlyMap<string, { readonly id: string }>
    expect([...table.keys()].map(digest => digest.slice(0, 3))).toEqual(['v1:', 'v2:'])
    // The old version is taken away.
    const authenticate = apiKeys(digest => table.get(digest), { pepper: { v2: 'new' } })
    const known = (key: string) =>
      authenticate(new Request(here, { headers: { authorization: `Bearer ${key}` } }), undefined)
    expect([await known('sk-ann'), await known('sk-bob')]).toEqual([
      undefined,
      { id: 'bob', source: 'api_keys' },
    ])
    await expect(snippet.run({ PEPPER_V1: 'old', PEPPER_V2: '' })).rejects.toThrow('pepper')
  },

  authenticator: async snippet => {
    const { asking } = await gatewayOf(snippet)
    expect(await asking({ key: 'token-ann', model: 'large' })).toMatchObject({ status: 200 })
    expect(await asking({ key: 'token-bob', model: 'small' })).toMatchObject({ status: 200 })
    expect(await asking({ key: 'token-bob', model: 'large' })).toMatchObject({ status: 403 })
    expect(await asking({ key: 'sk-test', model: 'small' })).toMatchObject({ status: 401 })
  },

  route: async snippet => {
    const { asking, running } = await gatewayOf(snippet)
    const { explain } = running.exports.gateway as ManagedGateway
    const orders: string[] = []
    for (let seed = 0; seed < 300; seed++) {
      const { candidates } = await explain(chatRequest(), { seed })
      orders.push(candidates.map(({ model }) => model).join(', '))
    }
    expect(new Set(orders)).toEqual(new Set(['steady', 'canary, steady']))
    const canaries = orders.filter(order => order !== 'steady').length
    expect(canaries).toBeGreaterThan(5)
    expect(canaries).toBeLessThan(55)
    expect((await asking({ model: 'chat' })).text).toMatch(/^(steady|canary)$/)
    expect(await asking({ model: 'long' })).toMatchObject({ text: 'steady' })
    expect(await asking({ model: 'long', content: 'x'.repeat(10_000) })).toMatchObject({ text: 'large' })
  },

  limiter: async snippet => {
    const { asking } = await gatewayOf(snippet)
    const first = await asking()
    expect(first).toMatchObject({ status: 200 })
    expect(first.headers.get('x-ratelimit-remaining-tokens')).toBe('20')
    const second = await asking()
    expect(second).toMatchObject({ status: 200 })
    expect(second.headers.get('x-ratelimit-remaining-tokens')).toBe('8')
    expect(await asking()).toMatchObject({ status: 429, code: 'insufficient_quota' })
  },

  observe: async snippet => {
    const { asking, running } = await gatewayOf(snippet)
    expect(await asking()).toMatchObject({ status: 200 })
    expect(running.printed).toEqual([
      'failed local first',
      expect.stringMatching(/^req_\w{32} me demo 200 completed 12 [\d.]+$/),
    ])
  },

  wrapping: async ({ run }) => {
    const base = `${await (await run()).url(3000)}/v1`
    const whole = await ask(base)
    expect(whole).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(whole.headers.get('x-region')).toBe('north')
    const streamed = await ask(base, { stream: true })
    expect(streamed).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(streamed.headers.get('x-region')).toBe('north')
  },

  endpoints: async ({ run }) => {
    const url = await (await run()).url(3000)
    expect(await (await fetch(`${url}/version`)).json()).toEqual({ version: '1.4.0' })
    expect(await ask(`${url}/v1`)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect((await fetch(`${url}/versions`)).status).toBe(404)
  },

  browsers: async ({ run }) => {
    const url = await (await run()).url(3000)
    const origin = 'https://app.example'
    const preflight = await fetch(`${url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    for (const key of ['sk-test', 'sk-wrong']) {
      const got = await ask(`${url}/v1`, { key, headers: { origin } })
      expect(got.headers.get('access-control-allow-origin')).toBe(origin)
    }
    const other = await ask(`${url}/v1`, { headers: { origin: 'https://other.example' } })
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  },

  'in-process': async ({ run }) => {
    expect((await run()).printed).toEqual(['12 * 7 = 84'])
  },

  shedding: async snippet => {
    const { asking, running } = await gatewayOf(snippet)
    expect(await asking()).toMatchObject({ status: 200 })
    await (running.exports.gateway as Gateway).close()
    const full = await gatewayOf(snippet, {}, code =>
      code.replace('{ maxInFlight: 500 }', '{ maxHeapShare: 1e-9, sampleMs: 1 }'),
    )
    await expect.poll(() => full.asking()).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    await (full.running.exports.gateway as Gateway).close()
  },
})

const rows = tableUnder('docs/custom-gateway.md', '# Gateway options')

it('names every option of createGateway', () => {
  const config = readFileSync(join(root, 'packages/core/src/gateway/config.ts'), 'utf8')
  const options = [...config.split('interface GatewayOptions')[1]!.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(
    m => m[1],
  )
  const named = rows.map(([name = '']) => name.replaceAll('`', ''))
  expect(named.sort()).toEqual(options.sort())
})

it('names every event, and every member of an end', () => {
  const source = readFileSync(join(root, 'packages/core/src/contracts/events.ts'), 'utf8')
  const types = [...source.matchAll(/^ {2}readonly type: '(\w+)'/gm)].map(([, type]) => type)
  const named = (table: string) =>
    tableUnder('docs/custom-gateway.md', table).flatMap(([names = '']) => names.match(/\w+/g) ?? [])
  expect(named('## Events').sort()).toEqual(types.sort())
  const [, end = ''] = /interface EndEvent \{\n(.*?)\n\}/s.exec(source) ?? []
  const members = [...end.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name!)
  const page = readFileSync(join(root, 'docs/custom-gateway.md'), 'utf8')
  const [, rows = ''] = page.split('| Field of an `end` event')
  for (const name of members.filter(name => !['type', 'requestId', 'principal', 'stream'].includes(name)))
    expect(rows).toContain(`\`${name}\``)
})

it('names every bound and time, with its default', () => {
  const told: Record<string, Record<string, number>> = { requestLimits: {}, timeouts: {}, stream: {} }
  for (const row of tableUnder('docs/custom-gateway.md', '## Size limits and timeouts')) {
    const [option = '', key = '', , value = ''] = row.map(cell => cell.replaceAll(/[`,]/g, ''))
    told[option]![key] = Number(value)
  }
  expect(told).toEqual({
    requestLimits: defaultRequestLimits,
    timeouts: defaultTimeouts,
    stream: defaultPacing,
  })
})

it('names every option of loadShedding, with the default that the code tells', () => {
  const source = readFileSync(join(root, 'packages/node/src/load-shedding.ts'), 'utf8')
  const [, options = ''] = /interface LoadSheddingOptions \{\n(.*?)\n\}/s.exec(source) ?? []
  const told = [...options.matchAll(/\/\*\*(.*?)\*\/\s+readonly (\w+)\?:/gs)].filter(
    ([, , name]) => name !== 'meter',
  )
  const rows = tableUnder('docs/custom-gateway.md', '## Load shedding')
  expect(rows.map(([name = '']) => name.replaceAll('`', ''))).toEqual(told.map(([, , name]) => name))
  for (const [index, [, , value = '']] of rows.entries())
    expect(told[index]?.[1]?.replaceAll(/\s+\*\s+/g, ' ')).toContain(
      `Default${/^\d/.test(value) ? '' : ':'} ${value}`,
    )
})

it('names every option of apiKeys, with the default that the code tells', () => {
  const source = readFileSync(join(root, 'packages/core/src/auth/api-keys-options.ts'), 'utf8')
  const [, options = ''] = /interface ApiKeysOptions \{\n(.*?)\n\}/s.exec(source) ?? []
  const told = [...options.matchAll(/\/\*\*(.*?)\*\/\s+readonly (\w+)\?:/gs)]
  const rows = tableUnder('docs/custom-gateway.md', '## API keys from a database')
  expect(rows.map(([name = '']) => name.replaceAll('`', ''))).toEqual(told.map(([, , name]) => name))
  for (const [index, [, , value = '']] of rows.entries())
    if (/^\d/.test(value)) expect(told[index]?.[1]).toContain(value)
})
