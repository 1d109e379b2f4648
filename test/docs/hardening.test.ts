import { startService } from 'sluice'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWithPostgres } from '../stores/servers/describe-with-postgres.ts'
import { PostgresServer } from '../stores/servers/postgres-server.ts'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { fencesOf, readPage, root } from './runner/markdown.ts'
import { runCommands } from './runner/run-commands.ts'

const page = 'docs/hardening.md'
describePage(page, {})

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly anyOf?: readonly Shape[]
}

/** Whether a configuration has a setting: a path such as `server.host`, in its JSON Schema. */
function isSetting(path: readonly string[], shape: Shape): boolean {
  const [name, ...rest] = path
  if (name === undefined) return true
  const property = shape.properties?.[name]
  if (property !== undefined && isSetting(rest, property)) return true
  return shape.anyOf?.some(each => isSetting(path, each)) ?? false
}

describe.each([page, 'docs/deployment.md', 'docs/backup.md'])('the settings of %s', name => {
  const schema: Shape = JSON.parse(readPage('packages/cli/schema.json'))

  it('are those of a configuration', () => {
    const sections = Object.keys(schema.properties ?? {}).join('|')
    const settings = [...readPage(name).matchAll(new RegExp(`\`((?:${sections})(?:\\.\\w+)*)\``, 'g'))]
      .map(([, setting]) => setting!)
      // The name of a file begins like one.
      .filter(setting => setting !== 'alerts.yml')
    expect(settings.length).toBeGreaterThan(2)
    expect(settings.filter(setting => !isSetting(setting.split('.'), schema))).toEqual([])
    expect(isSetting(['server', 'hosts'], schema)).toBe(false)
  })
})

describeWithPostgres('the grants of the page', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(() => postgres.dispose())

  it('are all that a gateway needs, and less than it takes to change a table', async () => {
    const database = await postgres.database()
    const { code } = fencesOf(page).find(({ name }) => name === 'grants')!
    await runCommands('npx sluice-postgres migrate', {
      cwd: root,
      env: { DATABASE_URL: postgres.url(database) },
    })
    const owner = postgres.pool(database)
    await owner.query('CREATE ROLE gateway LOGIN')
    for (const statement of code.split(';\n').filter(text => text.trim() !== '')) await owner.query(statement)
    const url = new URL(postgres.url(database))
    url.username = 'gateway'
    const logged: string[] = []
    const service = await startService(
      {
        server: { port: 0 },
        providers: { local: {} },
        models: { demo: 'local/demo' },
        state: { database: url.href },
        log: {
          store: 'database',
          bodies: { key: Buffer.alloc(32, 1).toString('base64'), retentionDays: 1 },
        },
        telemetry: { log: 'off' },
      },
      {
        env: {},
        cwd: process.cwd(),
        print: () => {},
        log: text => void logged.push(text),
        terminal: false,
        colours: false,
        now: Date.now,
      },
    )
    onTestFinished(() => service.close())
    const { key, stored } = await service.keys!.issue({ name: 'Ann' })
    expect(await ask(service.baseURL, { key })).toMatchObject({ status: 200 })
    await vi.waitFor(
      async () => expect(await service.usage!({ by: ['key'] })).toMatchObject([{ requests: 1, open: 0 }]),
      10_000,
    )
    await service.keys!.update(stored.id, { disabled: true })
    expect(await service.keys!.delete(stored.id)).toBe(true)
    await service.close()
    for (const table of ['request_log', 'bodies']) {
      const { rows } = await owner.query(`SELECT count(*)::int AS count FROM sluice.${table}`)
      expect(rows, table).toEqual([{ count: 1 }])
    }
    expect(logged.join('\n')).not.toMatch(/lost|denied/)
    const own = postgres.pool(database, { connectionString: url.href })
    await expect(own.query('DROP TABLE sluice.requests')).rejects.toThrow(/owner/)
  })
})
