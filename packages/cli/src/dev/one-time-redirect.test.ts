import { expect, it, onTestFinished } from 'vitest'
import { oneTimeRedirect } from './one-time-redirect.ts'

it('leads to its target once, and by its own path only', async () => {
  const { url, close } = await oneTimeRedirect('http://127.0.0.1:8787/console/#key=admin-secret')
  onTestFinished(close)
  expect(url).not.toContain('secret')
  const get = (path: string) => fetch(path, { redirect: 'manual' })
  expect((await get(new URL('/', url).href)).status).toBe(404)
  const first = await get(url)
  expect([first.status, first.headers.get('location')]).toEqual([
    302,
    'http://127.0.0.1:8787/console/#key=admin-secret',
  ])
  await expect(get(url)).rejects.toThrow()
})
