import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pricesUpdatedAt } from '@sluice/prices'
import { openSqlite } from '@sluice/sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CommandContext } from '../command.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { check } from './check.ts'
import { explain } from './explain.ts'
import { serve } from './serve.ts'

const config = {
  server: { port: 0 },
  providers: { local: {}, other: { type: 'local' } },
  models: { demo: ['local/demo', 'other/demo'], mine: 'local/mine' },
  keys: [{ id: 'ann', key: 'sk-ann', models: ['demo'] }],
}

function worldOf(files: Readonly<Record<string, object>>) {
  const printed: string[] = []
  const logged: string[] = []
  const stopping = new AbortController()
  const cwd = temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([name, each]) => [name, JSON.stringify(each)])),
  )
  const context: CommandContext = {
    env: {},
    cwd,
    print: text => void printed.push(text),
    log: text => void logged.push(text),
    platform: 'linux',
    terminal: false,
    colours: false,
    signal: stopping.signal,
    now: Date.now,
    openUrl: async () => {},
    onLine: undefined,
    networkAddresses: () => [],
  }
  return { context, printed, logged, stop: () => stopping.abort() }
}

describe('sluice serve', () => {
  it('serves until it is stopped, and reads the configuration again on SIGHUP', async () => {
    const { context, logged, stop } = worldOf({ 'sluice.config.json': config })
    onTestFinished(stop)
    const run = serve.run({ 'no-watch': true }, [], context)
    await vi.waitFor(
      () => expect(logged[0]).toMatch(/^Serving 2 models at http:\/\/127\.0\.0\.1:\d+\/v1$/),
      10_000,
    )
    const url = logged[0]!.split(' ').at(-1)!
    expect(logged[1]).toBe(
      'Storage: memory (usage is not stored, keys cannot be issued). To store them, set state.database.',
    )
    expect(logged[2]).toBe(
      'Responses of the Responses API are stored in memory for 1 hour. To store none, set responses: false.',
    )
    const names = async () => {
      const answer = await fetch(`${url}/models`, { headers: { authorization: 'Bearer sk-ann' } })
      return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    }
    expect(await names()).toEqual(['demo'])
    const file = join(context.cwd, 'sluice.config.json')
    writeFileSync(file, JSON.stringify({ ...config, keys: [{ id: 'ann', key: 'sk-ann' }] }))
    process.emit('SIGHUP')
    await vi.waitFor(() => expect(logged).toContain('Configuration reloaded.'), 10_000)
    expect(await names()).toEqual(['demo', 'mine'])
    stop()
    expect(await run).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
    expect(process.listenerCount('SIGHUP')).toBe(0)
  })

  it('reloads once it is ready if SIGHUP came before', async () => {
    const { context, logged, stop } = worldOf({ 'sluice.config.json': config })
    onTestFinished(stop)
    const run = serve.run({ 'no-watch': true }, [], context)
    process.emit('SIGHUP')
    process.emit('SIGHUP')
    await vi.waitFor(() => expect(logged).toContain('Configuration reloaded.'), 10_000)
    stop()
    expect(await run).toBe(0)
    expect(logged.filter(line => line.includes('reload'))).toHaveLength(1)
    expect(logged[0]).toMatch(/^Serving /)
    expect(process.listenerCount('SIGHUP')).toBe(0)
  })

  it('logs at each reload what needs a restart, compared with what runs', async () => {
    const { context, logged, stop } = worldOf({ 'sluice.config.json': config })
    onTestFinished(stop)
    const run = serve.run({ 'no-watch': true, host: '127.0.0.1' }, [], context)
    await vi.waitFor(() => expect(logged).toHaveLength(3), 10_000)
    const changes = [{ port: 1, host: '0.0.0.0', workers: 2 }, { port: 1 }, { port: 0, workers: 1 }]
    for (const server of changes) {
      writeFileSync(join(context.cwd, 'sluice.config.json'), JSON.stringify({ ...config, server }))
      const before = logged.length
      process.emit('SIGHUP')
      await vi.waitFor(() => expect(logged.slice(before)).toContain('Configuration reloaded.'), 10_000)
    }
    expect(logged.slice(3).map(line => line.split(' ')[0])).toEqual([
      ...['server.port', 'server.workers', 'Configuration'],
      ...['server.port', 'Configuration'],
      'Configuration',
    ])
    stop()
    expect(await run).toBe(0)
  })

  it('ends with 0, and serves nothing, if it is stopped while it reads the configuration', async () => {
    const { context, logged, stop } = worldOf({ 'sluice.config.json': config })
    const run = serve.run({}, [], context)
    stop()
    expect(await run).toBe(0)
    expect(logged).toEqual([])
    expect(process.listenerCount('SIGHUP')).toBe(0)
  })

  it('ends with 0, and serves nothing, if it is stopped while it starts', async () => {
    const { context, logged, stop } = worldOf({ 'sluice.config.json': config })
    // The service reads it when it opens its request log.
    const stopping: CommandContext = {
      ...context,
      get print() {
        stop()
        return context.print
      },
    }
    expect(await serve.run({}, [], stopping)).toBe(0)
    expect(logged).toEqual([])
  })

  it('listens where the command line says', async () => {
    const { context, logged, stop } = worldOf({ 'conf.json': { ...config, server: { port: 1 } } })
    const run = serve.run({ config: 'conf.json', port: '0', host: '127.0.0.1' }, [], context)
    await vi.waitFor(() => expect(logged).toHaveLength(3), 10_000)
    stop()
    expect(await run).toBe(0)
  })

  it('refuses what cannot be', async () => {
    const { context } = worldOf({ 'sluice.config.json': config })
    await expect(serve.run({ port: '99999' }, [], context)).rejects.toThrow("--port is '99999'")
    await expect(serve.run({}, ['file.json'], context)).rejects.toMatchObject({ exitCode: 2 })
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => taken.once('listening', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    const { message } = await serve.run({ port: String(port) }, [], context).then(
      () => new Error('It serves.'),
      (fault: Error) => fault,
    )
    const [, free] =
      /another program uses that port[\s\S]*\nPort (\d+) is free: sluice serve --port \1$/.exec(message) ?? []
    expect(Number(free)).toBeGreaterThan(port)
  })
})

describe('sluice check', () => {
  it('says what a sound configuration has', async () => {
    const { context, printed } = worldOf({ 'sluice.config.json': config })
    expect(await check.run({}, [], context)).toBe(0)
    expect(printed.join('\n')).toMatch(
      /^sluice\.config\.json is valid\.\n {2}models +demo, mine\n {2}providers +local, other\n/,
    )
    expect(printed.join('\n')).not.toContain('sk-ann')
    expect(await check.run({ json: true }, ['sluice.config.json'], context)).toBe(0)
    expect(JSON.parse(printed.at(-1)!)).toEqual({
      ok: true,
      file: 'sluice.config.json',
      models: ['demo', 'mine'],
      warnings: [],
    })
  })

  it('tells every fault, for people and as JSON', async () => {
    const { context, printed } = worldOf({ 'bad.json': { models: { a: 'b/c' }, serve: 1 } })
    await expect(check.run({}, ['bad.json'], context)).rejects.toThrow(/has 3 errors/)
    expect(await check.run({ json: true }, ['bad.json'], context)).toBe(1)
    const { ok, issues } = JSON.parse(printed[0]!) as {
      ok: boolean
      issues: { path: string; line: number }[]
    }
    expect(ok).toBe(false)
    expect(issues.map(({ path }) => path).sort()).toEqual(['keys', 'models.a', 'serve'])
    expect(await check.run({ json: true }, ['gone.json'], context)).toBe(1)
    expect(JSON.parse(printed[1]!)).toMatchObject({
      ok: false,
      issues: [{ path: '', problem: expect.stringContaining('gone.json') }],
    })
  })
})

describe('sluice explain', () => {
  it('says where a request would go, by key and by id, and what chance decided', async () => {
    const { context, printed } = worldOf({
      'sluice.config.json': { ...config, state: { database: 'file:./none.db' } },
    })
    expect(await explain.run({ key: 'sk-ann', model: 'demo', seed: '7' }, [], context)).toBe(0)
    expect(printed[0]!.split('\n')).toEqual([
      'caller   ann',
      'model    demo',
      'seed     7',
      `prices   bundled, of ${pricesUpdatedAt}`,
      '',
      '    target      via',
      '1.  local/demo       tried first; no price',
      '2.  other/demo       fallback; no price',
    ])
    expect(await explain.run({ as: 'ann', model: 'demo', json: true }, [], context)).toBe(0)
    expect(JSON.parse(printed[1]!)).toMatchObject({
      principal: 'ann',
      candidates: [{ provider: 'local' }, { provider: 'other' }],
    })
  })

  it('explains a request to another endpoint', async () => {
    const { context, printed } = worldOf({ 'sluice.config.json': config })
    for (const path of ['/responses', '/responses/input_tokens', '/messages', '/embeddings'])
      expect(await explain.run({ as: 'ann', model: 'demo', path, json: true }, [], context), path).toBe(0)
    expect(printed.map(text => JSON.parse(text).candidates[0].provider)).toEqual(
      Array.from({ length: 4 }, () => 'local'),
    )
    expect(await explain.run({ as: 'ann', model: 'none', path: '/responses' }, [], context)).toBe(1)
    expect(printed.at(-1)).toContain('rejected 404 model_not_found')
    await expect(explain.run({ as: 'ann', model: 'demo', path: 'responses' }, [], context)).rejects.toThrow(
      /--path is 'responses'/,
    )
  })

  it('says why a request would be refused', async () => {
    const { context, printed } = worldOf({
      'sluice.config.json': config,
      'body.json': { model: 'mine', messages: [] },
    })
    expect(await explain.run({ key: 'sk-nobody', model: 'demo' }, [], context)).toBe(1)
    expect(printed[0]).toMatch(
      /^caller {3}nobody: unknown API key\n.*\nseed .*\nprices .*\nrejected 401 invalid_api_key: /,
    )
    expect(await explain.run({ as: 'ann', body: 'body.json', json: true }, [], context)).toBe(1)
    expect(JSON.parse(printed[1]!)).toMatchObject({ refusal: { status: 403 } })
  })

  it('says that an issued key has expired or is disabled, by its id and by the key itself', async () => {
    const { context, printed } = worldOf({
      'sluice.config.json': { ...config, state: { database: 'file:./keys.db' } },
    })
    const database = await openSqlite({ url: `file:${join(context.cwd, 'keys.db')}` })
    const issue = (name: string) => database.keys.issue({ name, expiresAt: context.now() + 60_000 })
    const [old, cut] = [await issue('old'), await issue('cut')]
    await database.keys.update(cut.stored.id, { disabled: true })
    const { id } = old.stored
    await database.keys.update(id, { expiresAt: context.now() - 1 })
    await database.close()
    const asked = [{ as: id }, { key: old.key }, { as: cut.stored.id }, { key: cut.key }]
    for (const who of asked) expect(await explain.run({ ...who, model: 'demo' }, [], context)).toBe(1)
    const head = (text: string) => text.split('\n').filter(line => /^(caller|rejected)/.test(line))
    const refused = expect.stringMatching(/^rejected {1}401 invalid_api_key: /)
    expect(printed.map(head)).toEqual([
      [`caller   nobody: ${id}, but it has expired`, refused],
      [`caller   nobody: ${id}, but it has expired`, refused],
      [`caller   nobody: ${cut.stored.id}, but it is disabled`, refused],
      [`caller   nobody: ${cut.stored.id}, but it is disabled`, refused],
    ])
    await explain.run({ as: id, model: 'demo', json: true }, [], context)
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({ authFailure: { reason: 'expired', id } })
  })

  it('refuses what cannot be asked', async () => {
    const { context } = worldOf({ 'sluice.config.json': config })
    const asked = (values: object) => explain.run({ ...values }, [], context)
    await expect(asked({ model: 'demo' })).rejects.toThrow('one of --key and --as')
    await expect(asked({ as: 'ann' })).rejects.toThrow('--model or --body')
    await expect(asked({ as: 'bob', model: 'demo' })).rejects.toThrow("no key has the id 'bob'")
    await expect(asked({ as: 'ann', model: 'demo', seed: 'x' })).rejects.toThrow("--seed is 'x'")
    await expect(asked({ as: 'ann', model: 'demo', body: 'gone.json' })).rejects.toThrow('cannot read')
  })
})
