import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { openPostgres } from '@sluice/postgres'
import { findClosedPort } from '@sluice/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { command } from '../../packages/postgres/src/command.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const secret = 'hunter2hunter2'

/** Runs a command in this process: its exit code and what it printed. */
async function run(args: readonly string[], url?: string, folder = project) {
  const printed: string[] = []
  const output = {
    out: (line: string) => void printed.push(line),
    error: (line: string) => void printed.push(`error: ${line}`),
  }
  const code = await command(args, url === undefined ? {} : { DATABASE_URL: url }, folder, output)
  expect(printed.join('\n')).not.toContain(secret)
  return { code, printed: printed.join('\n') }
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-project-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('sluice-postgres, called in a wrong way', () => {
  const url = `postgres://ann:${secret}@127.0.0.1/x`

  it.each([
    [[], url, 'expected one command, "migrate" or "status"'],
    [['drop'], url, 'expected one command'],
    [['migrate', 'status'], url, 'expected one command'],
    [['migrate', '--force'], url, "Unknown option '--force'"],
    [['migrate', '--schema', 'A"b'], url, 'schema: expected'],
    [['migrate'], undefined, 'expected DATABASE_URL, or --url'],
    [['migrate'], `mysql://ann:${secret}@127.0.0.1/x`, 'expected DATABASE_URL, or --url'],
    [['migrate', '--url', `postgres://ann:${secret}@:x:/`], undefined, 'expected DATABASE_URL, or --url'],
  ])('says what is expected: %j', async (args, given, words) => {
    const { code, printed } = await run(args, given)
    expect(code).toBe(2)
    expect(printed).toMatch(/^error: /)
    expect(printed).toContain(words)
    expect(printed).toContain('sluice-postgres status')
  })

  it('tells how it is called', async () => {
    const { code, printed } = await run(['--help'])
    expect([code, printed.split('\n')[0]]).toEqual([
      0,
      'sluice-postgres migrate [--url URL] [--schema NAME]   brings the tables to version 11',
    ])
  })

  it('says how pg is installed where it is not', async () => {
    const { code, printed } = await run(['status'], url, temporary())
    expect([code, printed]).toEqual([
      1,
      "error: The package 'pg' is not installed in this project. Run `npm install pg` here, and this command again.",
    ])
  })

  it('says so where pg cannot be loaded', async () => {
    const folder = temporary()
    mkdirSync(join(folder, 'node_modules', 'pg'), { recursive: true })
    writeFileSync(join(folder, 'node_modules', 'pg', 'index.js'), `throw new Error('${secret}')`)
    const { code, printed } = await run(['status'], url, folder)
    expect([code, printed]).toEqual([1, expect.stringContaining('cannot be loaded')])
  })

  it('says that nothing listens', async () => {
    const { code, printed } = await run(
      ['status'],
      `postgres://ann:${secret}@127.0.0.1:${await findClosedPort()}/x`,
    )
    expect([code, printed]).toEqual([1, expect.stringContaining('(ECONNREFUSED). Nothing listens there.')])
  })
})

describeWithPostgres('sluice-postgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.dispose())

  const urlOf = (database: string) => server.url(database).replace('sluice@', `sluice:${secret}@`)

  it('says what is to do, does it, and says that nothing is to do', async () => {
    const name = await server.database()
    const url = urlOf(name)
    expect(await run(['status'], url)).toEqual({
      code: 1,
      printed: 'Schema \'sluice\' is of version 0, 11 is needed. Run "sluice-postgres migrate".',
    })
    expect(await run(['migrate'], url)).toEqual({ code: 0, printed: "Schema 'sluice': version 0 to 11." })
    expect(await run(['migrate', '--url', url])).toEqual({
      code: 0,
      printed: "Schema 'sluice' is of version 11: nothing to do.",
    })
    expect((await run(['status', '--url', url], 'nonsense')).code).toBe(0)
    await (await openPostgres(server.pool(name))).close()
    expect((await run(['status', '--schema', 'other'], url)).code).toBe(1)
    await server.run('insert into sluice.migrations (version) values (12)', name)
    expect(await run(['status'], url)).toEqual({
      code: 0,
      printed: "Schema 'sluice' is of version 12, this package needs 11: it will do.",
    })
  })

  it.each([
    [
      'no such database',
      (url: string) => url.replace(/[^/]+$/, 'nowhere'),
      '(3D000). There is no such database',
    ],
    ['no such user', (url: string) => url.replace('sluice:', 'nobody:'), '(28000). The user is refused'],
  ])('says that there is %s', async (_, changed, words) => {
    const { code, printed } = await run(['status'], changed(urlOf(await server.database())))
    expect([code, printed]).toEqual([1, expect.stringContaining(words)])
  })

  it('is a program', async () => {
    const main = join(project, 'packages', 'postgres', 'src', 'cli.ts')
    const line = ['--import', 'tsx', '--conditions=@sluice/source', main, 'migrate']
    const child = spawn(process.execPath, line, {
      cwd: project,
      env: { ...process.env, DATABASE_URL: urlOf(await server.database()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    expect([code, out, errors]).toEqual([0, "Schema 'sluice': version 0 to 11.\n", ''])
  })
})
