import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { describeWithPostgres } from '../stores/servers/describe-with-postgres.ts'
import { PostgresServer } from '../stores/servers/postgres-server.ts'
import { describePage } from './runner/describe-page.ts'
import { root } from './runner/markdown.ts'
import { runCommands } from './runner/run-commands.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

describeWithPostgres('what needs PostgreSQL', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(() => postgres.dispose())

  describePage('docs/upgrading.md', {
    check: async ({ code }) => {
      const cwd = temporaryFolder()
      const file = join(cwd, 'sluice.config.yaml')
      const config = 'providers: { local: {} }\nmodels: { demo: local/demo }\nkeys: [{ id: me, key: sk }]\n'
      writeFileSync(file, config)
      expect(await runCommands(code, { cwd })).toContain('sluice.config.yaml')
      writeFileSync(file, `${config}removed: true\n`)
      await expect(runCommands(code, { cwd })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('removed'),
      })
    },

    migrate: async ({ code }) => {
      const env = { DATABASE_URL: postgres.url(await postgres.database()) }
      const [status = '', migrate = ''] = code.trim().split('\n')
      // The package pg is found in the working directory.
      const at = { cwd: root, env }
      await expect(runCommands(status, at)).rejects.toMatchObject({ code: 1 })
      const both = await Promise.all([runCommands(migrate, at), runCommands(migrate, at)])
      expect(both.join('')).toMatch(/version \d+/)
      expect(await runCommands(code, at)).toMatch(/nothing to do[\s\S]*nothing to do/)
    },

    kubernetes: async ({ code }) => {
      // deployment.test.ts has the same commands.
      expect(code).toContain('kubectl apply --filename deploy/kubernetes/migrate/job.yaml\n')
      expect(code).toContain('kubectl apply --filename deploy/kubernetes\n')
    },
  })
})
