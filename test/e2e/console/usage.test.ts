import { apiKeys, firstOf } from '@sluice/core'
import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import { openSqlite } from '@sluice/sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { adminKey, callerKey, consoleService } from './console-service.ts'

const row: UsageRow = {
  by: { model: 'small', 'tag:team': null },
  requests: 2,
  promptTokens: 3,
  completionTokens: 4,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0.5,
  unpriced: 1,
  estimated: 0,
  open: 0,
}

function setUp(usage: (query: UsageQuery) => Promise<readonly UsageRow[]> = async () => [row]) {
  const asked: UsageQuery[] = []
  const service = consoleService({
    console: {
      usage: query => {
        asked.push(query)
        return usage(query)
      },
    },
  })
  return { ...service, asked }
}

describe('usage in the console', () => {
  it('is asked of the ledger', async () => {
    const { api, asked } = setUp()
    const answer = await api('/usage?by=model,tag%3Ateam&from=1000&to=2000')
    expect(await answer.json()).toEqual({ rows: [row], leftOut: 0 })
    await api('/usage?by=&from=')
    await api('/usage?by=day&key=ann&source=jwt&user=&model=small&provider=p&tag=team:a:b')
    expect(asked).toEqual([
      { by: ['model', 'tag:team'], from: 1_000, to: 2_000 },
      { by: [] },
      {
        by: ['day'],
        where: { key: 'ann', source: 'jwt', model: 'small', provider: 'p', tags: { team: 'a:b' } },
      },
    ])
    expect(await (await api('/about')).json()).toMatchObject({ ledger: true })
  })

  it.each([
    ['by=colour', 'by'],
    ['by=tag:', 'by'],
    ['by=model,', 'by'],
    [`by=${Array.from({ length: 9 }, (_, at) => `tag:${at}`)}`, 'by'],
    ['from=yesterday', 'from'],
    ['from=-1', 'from'],
    ['to=1e3', 'to'],
    ['to=1&to=2', 'to'],
    ['where=a', null],
    ['tag=team', 'tag'],
    ['tag=:x', 'tag'],
  ])('is not asked for %s', async (query, param) => {
    const { api, asked } = setUp()
    const answer = await api(`/usage?${query}`)
    expect(answer.status).toBe(400)
    expect((await answer.json()).error).toMatchObject({ param })
    expect(asked).toEqual([])
  })

  it('is 503 while the ledger is away', async () => {
    const fault = new TypeError('fetch failed: db.internal')
    const { api, failures } = setUp(() => Promise.reject(fault))
    const answer = await api('/usage?by=model')
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain('internal')
    expect(failures).toEqual([fault])
  })

  it('has the rows of most money where there are too many', async () => {
    const rows = Array.from({ length: 5_003 }, (_, at) => ({ ...row, by: { user: `u${at}` }, cost: at }))
    const { rows: found, leftOut } = await (await setUp(async () => rows).api('/usage?by=user')).json()
    expect([found.length, found[0].by.user, found.at(-1).by.user, leftOut]).toEqual([5_000, 'u5002', 'u3', 3])
  })

  it('is 404 without a ledger', async () => {
    expect((await consoleService().api('/usage?by=model')).status).toBe(404)
  })
})

/** A principal whose members are getters, as those of an ORM are. */
class Member {
  get id() {
    return 'cy'
  }
}

describe('the usage of a caller itself', () => {
  const who = [
    { id: 'ann', key: callerKey },
    { id: 'bob', key: 'sk-bob' },
  ]

  async function serve(ownUsage = true) {
    const database = await openSqlite({ url: ':memory:' })
    onTestFinished(() => database.close())
    const service = consoleService({
      console: { usage: query => database.usage(query), ownUsage },
      gateway: {
        ledger: database.ledger,
        authenticate: firstOf(apiKeys(who), request => {
          switch (request.headers.get('authorization')) {
            case 'Bearer token':
              // The same id, and another source.
              return { id: 'ann', source: 'https://id.test' }
            case 'Bearer session':
              return new Member()
          }
          return undefined
        }),
      },
    })
    const ask = async (key: string, user: string) => {
      const answer = await service.fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'small', user, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      expect(answer.status).toBe(200)
      await answer.text()
    }
    const own = async (key: string | undefined, query: string, mount = '') => {
      const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const answer = await service.fetch(`/console/api/own-usage${query}`, { headers }, mount)
      return { status: answer.status, body: await answer.json() }
    }
    return { ...service, ask, own, database }
  }

  it('has its own rows alone', async () => {
    const { ask, own, database } = await serve()
    for (const [key, user] of [
      [callerKey, 'u'],
      ['sk-bob', 'u'],
      ['sk-bob', 'v'],
      ['token', 'w'],
      ['session', 'x'],
    ] as const)
      await ask(key, user)
    await database.ledger.flush?.()
    const users = async (key: string, mount = '') =>
      (await own(key, '?by=user,day', mount)).body.rows.map((each: UsageRow) => each.by.user).sort()
    expect(await users(callerKey)).toEqual(['u'])
    expect(await users('sk-bob', '/api/ai')).toEqual(['u', 'v'])
    expect(await users('token')).toEqual(['w'])
    expect(await users('session')).toEqual(['x'])
    const { rows } = (await own(callerKey, '?by=model')).body
    expect(rows).toMatchObject([{ by: { model: 'small' }, requests: 1 }])
    expect(Object.keys(rows[0].by)).toEqual(['model'])
    expect(rows[0].cost).toBeGreaterThan(0)
  })

  it.each([
    ['?by=key'],
    ['?by=source'],
    ['?by=provider'],
    ['?by=kind'],
    ['?key=bob'],
    ['?by=day&source=x'],
    ['?by=colour'],
    ['?from=x'],
  ])('takes no %s', async query => {
    const { own } = await serve()
    expect((await own(callerKey, query)).status).toBe(400)
  })

  it('wants the key of a caller, and nothing else of the console opens by it', async () => {
    const { own, fetch } = await serve()
    expect((await own(undefined, '')).status).toBe(401)
    expect((await own('sk-nobody', '')).status).toBe(401)
    expect((await own(adminKey, '')).status).toBe(401)
    const headers = { authorization: `Bearer ${callerKey}` }
    for (const path of ['/usage', '/about', '/keys', '/requests'])
      expect((await fetch(`/console/api${path}`, { headers })).status).toBe(401)
    expect((await fetch('/console/api/own-usage', { method: 'POST', headers })).status).toBe(401)
  })

  it('is summed for one query of a caller at a time, and for four at most', async () => {
    const asked: (string | undefined)[] = []
    const running: (() => void)[] = []
    const usage = ({ where }: UsageQuery) => {
      asked.push(where?.key)
      return new Promise<readonly UsageRow[]>(resolve => running.push(() => resolve([row])))
    }
    const { fetch } = consoleService({
      console: { usage, ownUsage: true },
      gateway: { authenticate: apiKeys(who) },
    })
    const own = (key: string, signal?: AbortSignal) =>
      fetch('/console/api/own-usage?by=model', {
        headers: { authorization: `Bearer ${key}` },
        ...(signal && { signal }),
      })
    const leaving = new AbortController()
    const first = own(callerKey)
    await expect.poll(() => asked).toEqual(['ann'])
    const left = own(callerKey, leaving.signal)
    const [third, fourth] = [own(callerKey), own(callerKey)]
    const fifth = await own(callerKey)
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '1'])
    const other = own('sk-bob')
    await expect.poll(() => asked).toEqual(['ann', 'bob'])
    leaving.abort()
    for (let at = 0; at < 4; at++) {
      await expect.poll(() => running.length).toBeGreaterThan(at)
      running[at]!()
    }
    for (const answer of [first, third, fourth, other]) expect((await answer).status).toBe(200)
    await left
    expect(asked).toEqual(['ann', 'bob', 'ann', 'ann'])
    const next = own(callerKey)
    await expect.poll(() => running).toHaveLength(5)
    running[4]!()
    expect((await next).status).toBe(200)
  })

  it('is asked for again after a query that never ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let asked = 0
    const usage = () => new Promise<readonly UsageRow[]>(resolve => ++asked > 1 && resolve([row]))
    const { fetch } = consoleService({
      console: { usage, ownUsage: true },
      gateway: { authenticate: apiKeys(who) },
    })
    const own = () =>
      fetch('/console/api/own-usage?by=model', { headers: { authorization: `Bearer ${callerKey}` } })
    const hanging = own()
    await expect.poll(() => asked).toBe(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await hanging).status).toBe(503)
    expect((await own()).status).toBe(200)
  })

  it('has no dimension of a tag without a name', async () => {
    const { own } = await serve(true)
    const { status, body } = await own(callerKey, '?by=tag:')
    expect(status).toBe(400)
    expect(body.error.message).toMatch(/^by has a name that is not known here\./)
  })

  it('is 404 where callers cannot ask for it', async () => {
    expect((await (await serve(false)).own(callerKey, '')).status).toBe(404)
  })

  it('needs a ledger', () => {
    expect(() => consoleService({ console: { ownUsage: true } })).toThrow(
      'ownUsage: got true, expected usage',
    )
  })
})
