import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiKeys, createGateway, models } from '@sluice/core'
import { local } from '@sluice/providers'
import { openSqlite, sqliteResponseStore } from '@sluice/sqlite'
import { describe, expect, it } from 'vitest'
import { fakeCommandContext } from '../../../packages/cli/src/fake-command-context.ts'
import { main } from '../../../packages/cli/src/main.ts'
import { asking, runningDev, temporaryFolder } from './running-dev.ts'

/** Runs one command in a folder. */
function inFolder(cwd: string) {
  return async (...argv: string[]) => {
    const { context: world, printed, logged: told } = fakeCommandContext({ cwd })
    const code = await main(argv, world)
    return { code, printed: printed(), told: told() }
  }
}

// The first of them loads all that a service is made of.
const isoTime = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('sluice keys', () => {
  it('issues a key that a running gateway takes, with its models and limits, and ends it', async () => {
    const dev = await runningDev()
    const run = inFolder(dev.context.cwd)
    const rules = ['--model', 'vendora-*', '--limit', 'requests:2/minute', '--tag', 'team=search']
    const made = await run('keys', 'create', '--name', 'Ann', ...rules, '--expires', '30d')
    expect(made).toMatchObject({
      code: 0,
      told: expect.stringMatching(/^Created key \w+ in \.sluice\/dev\.db\./),
    })
    const key = made.printed.trim()
    expect(key).toMatch(/^sluice_\w+$/)
    const id = /Created key (\w+)/.exec(made.told)![1]!
    const as = (key: string, model = 'vendora-4o') => asking({ ...dev, key }, model)
    expect(await as(key)).toMatchObject({ status: 200 })
    expect(await as(key, 'local')).toMatchObject({ status: 403 })
    expect(await as(key)).toMatchObject({ status: 200 })
    expect(await as(key)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })

    const listed = await run('keys', 'list')
    expect(listed.printed).toMatch(
      new RegExp(`^${id} +Ann +until 20[\\d -]+:\\d\\dZ +vendora-\\* +requests:2/minute +team=search`, 'm'),
    )
    const json = await run('keys', 'list', '--json')
    expect(JSON.parse(json.printed)).toMatchObject([
      {
        id,
        name: 'Ann',
        models: ['vendora-*'],
        disabled: false,
        createdAt: expect.stringMatching(isoTime),
        expiresAt: expect.stringMatching(isoTime),
        lastUsedAt: expect.stringMatching(isoTime),
      },
    ])
    expect(json.printed + listed.printed).not.toMatch(/digest|secrets/)

    const rotated = await run('keys', 'rotate', id, '--overlap', '1h', '--json')
    expect(JSON.parse(rotated.printed)).toMatchObject({ id, createdAt: expect.stringMatching(isoTime) })
    const second = (JSON.parse(rotated.printed) as { key: string }).key
    expect(second).not.toBe(key)
    expect([(await as(second, 'local')).status, (await as(key, 'local')).status]).toEqual([403, 403])

    expect(await run('keys', 'disable', id)).toMatchObject({
      code: 0,
      told: `${id} (Ann) is disabled in .sluice/dev.db.\n`,
    })
    expect((await run('keys', 'list')).printed).toContain('disabled')
    expect(await run('keys', 'enable', id)).toMatchObject({ code: 0 })
    expect((await run('keys', 'list')).printed).not.toContain('disabled')
    expect(await run('keys', 'delete', id)).toMatchObject({ code: 0 })
    expect((await run('keys', 'list')).printed).toContain('No keys.')
    expect(await run('keys', 'delete', id)).toMatchObject({
      code: 1,
      told: expect.stringMatching(/^There is no key/),
    })

    const used = await run('usage', '--by', 'tag:team,model')
    expect(used.printed).toMatch(/^search +vendora-4o +2 +14 +10 +-$/m)
    expect(used.printed).toContain('2 of 2 requests have no price')
    expect((await run('usage', '--csv', '--by', 'key')).printed).toMatch(new RegExp(`^${id},2,14,10,`, 'm'))
    expect(JSON.parse((await run('usage', '--json', '--by', 'model')).printed)).toMatchObject([
      { requests: 2 },
    ])
    expect((await run('usage', '--to', '1d')).printed).toBe('No requests in this period.\n')
    const requestsOf = async (...filters: string[]) => {
      const { printed } = await run('usage', '--json', '--by', 'key', ...filters)
      return (JSON.parse(printed) as { requests: number }[]).map(({ requests }) => requests)
    }
    expect(await requestsOf('--source', 'api_keys', '--operation', 'generate')).toEqual([2])
    expect(await requestsOf('--provider', 'local', '--dialect', 'chat', '--tag', 'team=search')).toEqual([2])
    expect(await requestsOf('--tag', 'team=search', '--tag', 'site=none')).toEqual([])
    expect(await requestsOf('--source', 'none')).toEqual([])
    expect(await requestsOf('--provider', 'none')).toEqual([])
    expect(await requestsOf('--operation', 'embed')).toEqual([])
    expect(await requestsOf('--dialect', 'messages')).toEqual([])
    expect(await requestsOf('--kind', 'request,timeout')).toEqual([2])
    expect(await requestsOf('--kind', 'shadow')).toEqual([])
  })

  it('deletes the records of a key with it, and those of no other', async () => {
    const dev = await runningDev()
    const run = inFolder(dev.context.cwd)
    const made = [await run('keys', 'create', '--name', 'Ann'), await run('keys', 'create', '--name', 'Bob')]
    const [ann, bob] = made.map(({ told }) => /Created key (\w+)/.exec(told)![1]!) as [string, string]
    for (const { printed } of made) {
      expect(await asking({ ...dev, key: printed.trim() }, 'vendora-4o')).toMatchObject({ status: 200 })
    }
    await expect.poll(async () => (await run('usage', '--by', 'key')).printed).toContain(bob)
    expect(await run('keys', 'delete', ann, '--records')).toMatchObject({
      code: 0,
      told: `Deleted ${ann} (Ann) with 1 record from .sluice/dev.db. Cached responses, idempotency keys, and responses that a service has stored in memory, stay until they expire.\n`,
    })
    const left = (await run('usage', '--by', 'key,source')).printed
    expect(left).toMatch(new RegExp(`^${bob} \\(Bob\\) +api_keys +1 `, 'm'))
    expect(left).not.toContain(ann)
    expect(await run('keys', 'delete', ann, '--records')).toMatchObject({
      code: 1,
      told: expect.stringMatching(/^There is no key \w+, and no record of it, in /),
    })
  })

  it('deletes the responses that are stored for a key with it', async () => {
    const cwd = temporaryFolder()
    const run = inFolder(cwd)
    const url = `file:${join(cwd, 'own.db')}`
    const made = await run('keys', 'create', '--name', 'Ann', '--database', url)
    const id = /Created key (\w+)/.exec(made.told)![1]!
    const database = await openSqlite({ url })
    const responses = sqliteResponseStore(database)
    const gateway = createGateway({
      authenticate: apiKeys(database.keys),
      route: models({ demo: local()('demo') }),
      responses,
    })
    const response = await gateway.fetch('http://sluice.test/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${made.printed.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', input: 'Hello!' }),
    })
    expect(await response.json()).toMatchObject({ store: true })
    await gateway.close()
    await database.close()
    expect((await run('keys', 'delete', id, '--database', url)).told).toMatch(
      /^\w+ \(Ann\) was deleted from .*own\.db, with 1 stored response\.\n$/,
    )
    expect(await run('keys', 'delete', id, '--database', url)).toMatchObject({
      code: 1,
      told: expect.stringMatching(/^There is no key/),
    })
  })

  it('uses the database of the configuration, or the one that is named', async () => {
    const cwd = temporaryFolder()
    const run = inFolder(cwd)
    const config = {
      providers: { local: {} },
      models: { demo: 'local/x' },
      state: { database: 'file:./own.db' },
    }
    writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify(config))
    expect(await run('usage')).toMatchObject({ code: 1, told: expect.stringContaining('own.db') })
    expect((await run('keys', 'create', '--name', 'x')).told).toContain(' in ./own.db.')
    expect((await run('keys', 'list', '--config', 'sluice.config.json')).printed).toMatch(/ x +active/)
    expect((await run('keys', 'list', '--database', 'file:./own.db')).printed).toMatch(/ x +active/)
    expect((await run('keys', 'create', '--name', 'y', '--database', 'file:./other.db')).code).toBe(0)
    expect((await run('keys', 'list', '--database', 'file:./other.db')).printed).not.toMatch(/ x +active/)
  })

  it.each([
    [['keys', 'create'], 2, /needs a name/],
    [['keys', 'create', '--name', ''], 1, /name/],
    [
      ['keys', 'create', '--name', 'x', '--limit', 'many'],
      2,
      /--limit is 'many', expected requests:60\/minute/,
    ],
    [['keys', 'create', '--name', 'x', '--expires', '2020-01-01'], 2, /is in the past/],
    [['keys', 'create', '--name', 'x', 'y'], 2, /unexpected argument/],
    [['keys', 'list'], 1, /dev\.db.*sluice dev/],
    [['keys', 'list', '--database', 'file:./none.db'], 1, /none\.db/],
    [['keys', 'list', '--database', 'file:x', '--config', 'y'], 2, /exclude each other/],
    [['keys', 'list', '--database', 'postgres://a:canary@127.0.0.1:1/x'], 1, /./],
    [['keys', 'rotate'], 2, /got no argument, expected the id of one key/],
    [['keys', 'rotate', 'a', 'b'], 2, /got 2 arguments/],
    [['keys', 'rotate', 'a', '--overlap', 'long'], 2, /--overlap is 'long'/],
    [['usage', '--by', 'colour'], 2, /--by has 'colour'/],
    [['usage', '--from', '1d', '--to', '2d'], 2, /--from must be before --to/],
    [['usage', '--csv', '--json'], 2, /exclude each other/],
    [['usage', '--kind', 'request,lost'], 2, /where.kind has "lost", expected "request", "hedge"/],
    [['usage', '--operation', 'sing'], 2, /operation is "sing", expected one of "generate"/],
  ])('%j ends with %i', async (argv, code, message) => {
    const got = await inFolder(temporaryFolder())(...argv)
    expect(got).toMatchObject({ code, printed: '', told: expect.stringMatching(message) })
    expect(got.told).not.toMatch(/canary|^\s+at /m)
  })
})
