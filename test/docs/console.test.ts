import { join } from 'node:path'
import type { Alerts } from '@sluice/alerts'
import type { Database } from '@sluice/core/store'
import type { BodyLog, RequestLog } from '@sluice/log'
import { expect, onTestFinished } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const adminKey = 'correct-horse-battery'
const admin = { authorization: `Bearer ${adminKey}` }

describePage('docs/console.md', {
  express: async ({ run }) => {
    const SLUICE_DB = `file:${join(temporaryFolder(), 'console.db')}`
    await expect(run({ SLUICE_DB, SLUICE_ADMIN_KEY: '' })).rejects.toThrow(
      /adminKey: got a string of 0 characters/,
    )
    const running = await run({ SLUICE_DB, SLUICE_ADMIN_KEY: adminKey })
    const database = running.exports.database as Database
    onTestFinished(() => database.close())
    const mount = `${await running.url(3000)}/api/ai`
    const page = await fetch(`${mount}/console`)
    expect([page.status, page.url]).toEqual([200, `${mount}/console/`])
    const api = `${mount}/console/api`
    const issued = await fetch(`${api}/keys`, {
      method: 'POST',
      headers: { ...admin, 'content-type': 'application/json' },
      body: JSON.stringify({ name: "Ann's notebook", tags: { team: 'search' } }),
    })
    const { id, key } = await issued.json()
    expect(await ask(`${mount}/v1`, { key, model: 'small' })).toMatchObject({ status: 200 })
    const read = async (path: string) => (await fetch(`${api}${path}`, { headers: admin })).json()
    expect(await read('/requests')).toMatchObject({ requests: [{ key: id, team: 'search', model: 'small' }] })
    const rows = async () => (await read('/usage?by=key')).rows
    // The ledger writes in groups.
    await expect.poll(rows).toMatchObject([{ by: { key: id }, requests: 1, open: 0 }])
    expect((await fetch(`${api}/requests`)).status).toBe(401)
    const chat = await fetch(`${api}/chat`, {
      method: 'POST',
      headers: { ...admin, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(chat.status).toBe(200)
    await chat.text()
    expect(await ask(`${mount}/v1`, { key: adminKey, model: 'small' })).toMatchObject({ status: 401 })
  },

  operators: async ({ run }) => {
    const running = await run({
      SLUICE_DB: `file:${join(temporaryFolder(), 'console.db')}`,
      SLUICE_LOG_KEY: Buffer.alloc(32, 1).toString('base64'),
      SLUICE_ADMIN_KEY: adminKey,
    })
    const { database, log, bodies, alerts } = running.exports as unknown as {
      database: Database
      log: RequestLog
      bodies: BodyLog
      alerts: Alerts
    }
    onTestFinished(async () => {
      await Promise.all([log.close(), bodies.close(), alerts.close()])
      await database.close()
    })
    const url = await running.url(8787)
    const api = `${url}/console/api`
    const read = async (path: string) => (await fetch(`${api}${path}`, { headers: admin })).json()
    await ask(`${url}/v1`, { key: 'sk-ann', model: 'small' })
    await Promise.all([log.flush(), bodies.flush()])
    const { rows } = await read('/log')
    expect(rows).toMatchObject([{ principal: 'ann', hooks: [{ name: 'redact', outcome: 'passed' }] }])
    const { id } = rows[0]
    expect(await read(`/log/${id}/bodies`)).toMatchObject({ request: expect.stringContaining('"small"') })
    const replay = await fetch(`${api}/log/${id}/replay`, { method: 'POST', headers: admin })
    expect(await replay.json()).toMatchObject({ status: 200, request: { key: 'console' } })
    expect(await read('/hooks')).toMatchObject({ hooks: [{ name: 'redact', onFailure: 'closed' }] })
    expect(await read('/alerts')).toEqual({ alerts: [] })
    for (const path of ['/hooks', '/alerts', `/log/${id}/bodies`]) {
      const headers = { authorization: 'Bearer sk-ann' }
      expect((await fetch(`${api}${path}`, { headers })).status).toBe(401)
    }
  },

  chat: async ({ run }) => {
    const url = await (await run({ SLUICE_ADMIN_KEY: adminKey })).url(8787)
    const chat = async (model: string) => {
      const response = await fetch(`${url}/console/api/chat`, {
        method: 'POST',
        headers: { ...admin, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await response.text()
      return response.status
    }
    expect([await chat('small-one'), await chat('large')]).toEqual([200, 403])
    // Ten at once, and one more for each six seconds that this takes.
    let status = 200
    for (let left = 30; left > 0 && status === 200; left--) status = await chat('small-one')
    expect(status).toBe(429)
    expect(await ask(`${url}/v1`, { key: adminKey, model: 'small-one' })).toMatchObject({ status: 401 })
    expect(await ask(`${url}/v1`, { key: 'sk-ann', model: 'large' })).toMatchObject({ status: 200 })
  },

  key: async ({ code }) => {
    // What is meant by it: 48 characters, which no console refuses.
    expect(code).toBe('openssl rand -hex 24\n')
  },

  protect: async ({ run }) => {
    const mount = `${await (await run({ SLUICE_ADMIN_KEY: adminKey })).url(3000)}/api/ai`
    const about = (headers: Record<string, string>) => fetch(`${mount}/console/api/about`, { headers })
    expect((await about(admin)).status).toBe(404)
    expect((await about({ ...admin, 'x-user-group': 'operators' })).status).toBe(200)
    expect((await about({ 'x-user-group': 'operators' })).status).toBe(401)
    expect(await ask(`${mount}/v1`, { key: 'sk-ann', model: 'small' })).toMatchObject({ status: 200 })
  },
})
