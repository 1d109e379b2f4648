import {
  apiKeys,
  createGateway,
  type Gateway,
  type GatewayEvent,
  type Limiter,
  models,
  priceTable,
} from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { local } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { failurePolicies, limitDefaults } from '../../packages/core/src/rate-limiting/limits-options.ts'
import { ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { readPage, tableUnder } from './runner/markdown.ts'

const page = 'docs/failures.md'
const here = 'http://sluice.test/v1'

function gatewayWith(limit: Limiter): Gateway {
  return createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
    route: models({ demo: local()('demo') }),
    prices: priceTable({ demo: { input: 1, output: 1 } }),
    limits: limit,
  })
}

const broken = `{
  admit: async () => { throw new Error('down') },
  settle: async () => { throw new Error('down') },
  renew: async () => { throw new Error('down') },
}`

async function limited({ run }: Snippet, edit: (code: string) => string) {
  const running = await run({}, edit)
  const { fetch } = gatewayWith(running.exports.limiter as Limiter)
  return { running, asking: () => ask(here, { fetch }) }
}

describePage(page, {
  policies: async snippet => {
    const sound = await limited(snippet, code => code)
    expect(await sound.asking()).toMatchObject({ status: 200 })
    const failing = await limited(snippet, code => code.replace('memoryLimitStore(), //', `${broken}, //`))
    for (let count = 0; count < 6; count++)
      expect(await failing.asking()).toMatchObject({ status: 503, code: 'limiter_unavailable' })
    expect(failing.running.printed).toEqual(['limits failing Error: down'])
    // With requests alone each process has its share: 60 of 8 are 7.
    const alone = await limited(snippet, code =>
      code.replace('memoryLimitStore(), //', `${broken}, //`).replace(", budget(50, 'usd').per('day')", ''),
    )
    const statuses: number[] = []
    for (let count = 0; count < 8; count++) statuses.push((await alone.asking()).status)
    expect(statuses).toEqual([...Array(7).fill(200), 429])
  },
})

it('tells the default policy of each kind', () => {
  const defaults = Object.entries(failurePolicies(undefined))
  for (const [policy = '', , kinds = ''] of tableUnder(page, '## Rate limits')) {
    const told = [...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => kind)
    const coded = defaults.filter(([, own]) => policy === `\`'${own}'\``).map(([kind]) => kind)
    expect(told.sort(), policy).toEqual(coded.sort())
  }
})

it('tells the times and bounds of the code', () => {
  const text = readPage(page).replaceAll('\n', ' ')
  expect(text).toContain(`may take ${limitDefaults.storeTimeoutMs} milliseconds (\`storeTimeoutMs\`)`)
  expect(text).toContain('10,000 at most (`maxPending`)')
  const told = (path: string, option: string) =>
    new RegExp(`\\/\\*\\*([^/]*)\\*\\/\\s+readonly ${option}\\?:`).exec(readPage(path))?.[1]
  expect(told('packages/core/src/accounting/batched-ledger.ts', 'maxPending')).toContain('Default 10,000.')
  expect(told('packages/core/src/accounting/batched-ledger.ts', 'timeoutMs')).toContain('Default 250.')
  expect(told('packages/sqlite/src/open-sqlite.ts', 'timeoutMs')).toContain('Default 1,000')
  expect(told('packages/postgres/src/journal/file-journal.ts', 'maxBytes')).toContain(
    'Default 67,108,864 (64 MiB).',
  )
})

describe('a store of keys that fails', () => {
  it('lets in whom it knew for 65 seconds, and tells nobody that a key is wrong', async () => {
    const clock = { now: 1_000_000 }
    let down = false
    const events: GatewayEvent[] = []
    const { fetch } = createGateway({
      authenticate: apiKeys(
        async digest => {
          if (down) throw new Error('down')
          return digest === hashApiKey('sk-ann') ? { id: 'ann' } : undefined
        },
        { now: () => clock.now, observe: event => events.push(event) },
      ),
      route: models({ demo: local()('demo') }),
    })
    const asking = (key: string) => ask(here, { fetch, key })
    expect(await asking('sk-ann')).toMatchObject({ status: 200 })
    expect(await asking('sk-none')).toMatchObject({ status: 401 })
    down = true
    clock.now += 64_999
    expect(await asking('sk-ann')).toMatchObject({ status: 200 })
    for (let count = 0; count < 5; count++)
      expect(await asking(`sk-other${count}`)).toMatchObject({
        status: 503,
        code: 'authentication_unavailable',
      })
    expect(events).toMatchObject([{ type: 'store', store: 'keys', state: 'failing' }])
    clock.now += 1
    expect(await asking('sk-ann')).toMatchObject({ status: 503 })
  })

  it('has 250 milliseconds', async () => {
    const authenticate = apiKeys(() => new Promise(() => {}))
    const request = new Request(here, { headers: { authorization: 'Bearer sk-ann' } })
    const since = performance.now()
    await expect(authenticate(request, undefined)).rejects.toMatchObject({
      code: 'authentication_unavailable',
      cause: { message: expect.stringContaining('timed out after 250 ms (lookupMs)') },
    })
    expect(performance.now() - since).toBeGreaterThan(240)
  })
})
