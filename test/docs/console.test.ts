import { join } from 'node:path'
import type { Database } from '@sluice/core/store'
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
