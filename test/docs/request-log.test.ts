import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gateway } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import type { BodyLog, RequestLog } from '@sluice/log'
import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

/** Three requests, one of which is refused. */
async function fill(snippet: Snippet, env: Readonly<Record<string, string>>): Promise<void> {
  const { gateway, log, database } = (await snippet.run(env)).exports as {
    gateway: Gateway
    log: RequestLog
    database: Database
  }
  for (const key of ['sk-ann', 'sk-ann', 'sk-none']) {
    await ask('http://sluice.test/v1', { fetch: gateway.fetch, key, model: 'small' })
  }
  await gateway.close()
  await log.close()
  expect(log.stats()).toEqual({ written: 3, lost: 0, pending: 0 })
  await database.close()
}

describePage('docs/request-log.md', {
  log: snippet => fill(snippet, { SLUICE_DB: `file:${join(temporaryFolder(), 'log.db')}` }),

  bodies: async ({ run }) => {
    const env = {
      SLUICE_DB: `file:${join(temporaryFolder(), 'log.db')}`,
      SLUICE_LOG_KEY: Buffer.alloc(32, 1).toString('base64'),
    }
    const { gateway, bodies, database } = (await run(env)).exports as {
      gateway: Gateway
      bodies: BodyLog
      database: Database
    }
    const response = await gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'small',
          messages: [{ role: 'user', content: 'Mail ann@example.com!' }],
        }),
      }),
    )
    expect(await response.text()).toContain('ann@example.com')
    await gateway.close()
    await bodies.flush()
    const stored = await bodies.get(response.headers.get('x-request-id')!)
    expect(stored?.request).toContain('Mail [email]!')
    expect(JSON.stringify(stored)).not.toContain('ann@example.com')
    await bodies.close()
    await database.close()
  },

  search: async ({ run }, others) => {
    const env = { SLUICE_DB: `file:${join(temporaryFolder(), 'log.db')}` }
    await fill(others('log'), env)
    const { printed } = await run(env, code => code.replaceAll('limit: 100', 'limit: 1'))
    expect(printed).toHaveLength(2)
    for (const line of printed) expect(line).toMatch(/^20\d\d-.*Z ann 200 /)
  },

  export: async ({ run }, others) => {
    const folder = temporaryFolder()
    const env = { SLUICE_DB: `file:${join(folder, 'log.db')}`, EXPORT: join(folder, 'requests.csv') }
    await fill(others('log'), env)
    await run(env)
    const lines = readFileSync(env.EXPORT, 'utf8').split('\r\n')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toContain(',completed,200,ann,')
  },
})
