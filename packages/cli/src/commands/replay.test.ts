import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '@sluice/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'
import { startService } from '../service/start-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const key = randomBytes(32).toString('base64')
const otherKey = randomBytes(32).toString('base64')
const config = {
  server: { port: 0 },
  providers: { local: {} },
  models: { demo: 'local/demo', other: 'local/other' },
  keys: [
    { id: 'ann', key: 'sk-ann' },
    { id: 'bob', key: 'sk-bob' },
  ],
  telemetry: { log: 'off' as const },
  state: { database: 'file:./sluice.db' },
  log: { store: 'database' as const, bodies: { key, retentionDays: 7, models: ['demo'], keys: ['a*'] } },
}

describe('sluice replay', () => {
  const cwd = temporaryFolder()
  const ids: Record<string, string> = {}
  const logged: string[] = []
  let storage: string | undefined
  beforeAll(async () => {
    const log = (text: string) => void logged.push(text)
    const context = { env: {}, cwd, print: log, log, terminal: false, colours: false, now: Date.now }
    const service = await startService(config, context)
    storage = service.bodyStorage
    const send = async (name: string, path: string, body: object, caller = 'sk-ann') => {
      const response = await fetch(`${service.baseURL}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', ...body }),
      })
      await response.text()
      ids[name] = response.headers.get('x-request-id')!
    }
    const messages = [{ role: 'user', content: 'my secret prompt' }]
    await send('chat', '/chat/completions', { messages })
    await send('stream', '/chat/completions', { messages, stream: true })
    await send('messages', '/messages', { messages, max_tokens: 100, stream: true })
    await send('responses', '/responses', { input: 'my secret prompt' })
    await send('error', '/chat/completions', { messages: 'my secret prompt' })
    await send('other model', '/chat/completions', { model: 'other', messages })
    await send('other key', '/chat/completions', { messages }, 'sk-bob')
    await service.close()
  })

  const run = async (argv: readonly string[], changed: object = config.log, now = Date.now) => {
    writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify({ ...config, log: changed }))
    const { context, printed, logged } = fakeCommandContext({ cwd, now })
    const code = await main(['replay', ...argv], context)
    return { code, printed: printed(), logged: logged() }
  }

  it('stores bodies encrypted, of the selected models and keys only', async () => {
    expect(storage).toBe('stored encrypted in the database for 7 days, of some models and keys')
    const database = await openSqlite({ url: `file:${join(cwd, 'sluice.db')}` })
    const found = await Promise.all(
      Object.entries(ids).map(async ([name, id]) => [name, await database.bodyLog.get(id)]),
    )
    await database.close()
    const stored = found.filter(([, row]) => row !== undefined)
    expect(stored.map(([name]) => name)).toEqual(['chat', 'stream', 'messages', 'responses', 'error'])
    expect(JSON.stringify(stored)).not.toContain('secret')
  })

  it.each(['chat', 'stream', 'messages', 'responses'])('prints both responses of %s', async name => {
    const { code, printed, logged } = await run([ids[name]!])
    expect(logged).toBe('')
    expect(code).toBe(0)
    expect(printed).toMatch(/^target +local\/demo +local\/demo$/m)
    expect(printed).toMatch(/^status +200 +200$/m)
    expect(printed).toMatch(/^tokens +\d+\+\d+ +\d+\+\d+$/m)
    expect(printed).toMatch(/^ms +\d+ +\d+$/m)
    const [, first, second] = /Stored response:\n(.*)\n\nReplayed response:\n(.*)$/s.exec(printed.trimEnd())!
    expect(first).toContain('my secret prompt')
    expect(second).toBe(first)
  })

  it('prints JSON, and its record is in the ledger as the principal replay', async () => {
    const { code, printed } = await run([ids.chat!, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({
      model: 'demo',
      path: '/v1/chat/completions',
      stored: { requestId: ids.chat, status: 200, target: 'local/demo' },
      replayed: { requestId: expect.stringMatching(/^req_/), status: 200, target: 'local/demo' },
    })
    const database = await openSqlite({ url: `file:${join(cwd, 'sluice.db')}` })
    const usage = await database.usage({ by: ['key'] })
    await database.close()
    expect(JSON.stringify(usage)).toContain('replay')
  })

  it('exits with 1 where the request fails again', async () => {
    const { code, printed } = await run([ids.error!])
    expect(code).toBe(1)
    expect(printed).toMatch(/^status +400 +400$/m)
  })

  it('says why there is nothing to replay', async () => {
    const bodies = config.log.bodies
    const cases: [string, object, RegExp, number?][] = [
      [ids.chat!, { store: 'database' }, /no log\.bodies/],
      [ids['other model']!, config.log, /did not select it/],
      [ids['other key']!, config.log, /did not select it/],
      ['req_none', config.log, /no such request/],
      [ids.chat!, { store: 'database', bodies: { ...bodies, key: otherKey } }, /encrypted with another key/],
      [ids.chat!, { store: 'database', bodies: { ...bodies, retentionDays: 1e-7 } }, /have expired/],
      [ids.chat!, { store: 'database', bodies: { ...bodies, key: 'short' } }, /32 random bytes/],
      [ids.chat!, { store: 'database', bodies: { ...bodies, models: ['dmo'] } }, /log\.bodies\.models\[0\]/],
      [ids.chat!, { store: 'database', bodies: { key } }, /retentionDays/],
    ]
    for (const [id, changed, message] of cases) {
      const { code, logged } = await run([id], changed)
      expect([code, logged]).toEqual([1, expect.stringMatching(message)])
      expect(logged).not.toContain(key)
    }
    const rotated = { store: 'database', bodies: { ...bodies, key: otherKey, previousKeys: [key] } }
    expect((await run([ids.chat!], rotated)).code).toBe(0)
    expect((await run([])).code).toBe(2)
  })

  it('has nothing left of a key that was deleted with its records', async () => {
    const { context, logged } = fakeCommandContext({ cwd })
    expect(await main(['keys', 'delete', 'ann', '--records'], context)).toBe(0)
    expect(logged()).toContain('the bodies of 5 requests')
    expect(await run([ids.chat!])).toMatchObject({
      code: 1,
      logged: expect.stringMatching(/no such request/),
    })
  })
})
