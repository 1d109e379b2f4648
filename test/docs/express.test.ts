import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ask, askMessages } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { curls, listens } from './runner/fake-vendors.ts'
import { root } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

const example = 'examples/express-app/server.ts'

describePage('docs/express.md', {
  'quick-start': listens('/api/ai/v1'),
  'quick-curl': curls('quick-start'),

  [example]: async ({ code, run }) => {
    expect(code).toBe(readFileSync(join(root, example), 'utf8'))
    expect(code.split('\n').length).toBeLessThan(60)
    const url = await (await run({ PORT: '3000' })).url(3000)
    const ai = `${url}/api/ai/v1`
    expect(await ask(ai, { key: 'session-of-ann', model: 'best' })).toMatchObject({ text: '12 * 7 = 84' })
    expect(await ask(ai, { key: 'session-of-bob', model: 'fast', stream: true })).toMatchObject({
      text: '12 * 7 = 84',
    })
    expect(await ask(ai, { key: 'session-of-bob', model: 'best' })).toMatchObject({ status: 403 })
    expect(await ask(ai, { key: 'a stranger', model: 'fast' })).toMatchObject({ status: 401 })
    expect(await askMessages(ai, 'session-of-ann', 'best')).toEqual({ status: 200, text: '12 * 7 = 84' })
    expect(await askMessages(ai, 'session-of-bob', 'best')).toMatchObject({ status: 403 })
    expect(await askMessages(ai, 'a stranger', 'fast')).toMatchObject({ status: 401 })
    const me = await fetch(`${url}/me`, { headers: { authorization: 'Bearer session-of-ann' } })
    expect(await me.json()).toEqual({ id: 'ann', plan: 'pro' })
    const echo = await fetch(`${url}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect(await echo.json()).toEqual({ a: 1 })
  },

  run: async ({ code }) => {
    expect(code).toBe(`npx -y pnpm exec tsx ${example}\n`)
  },

  curl: async ({ code }, snippet) => {
    const server = await snippet(example).run({ PORT: '3000' })
    const line = code.replace('http://localhost:3000', await server.url(3000))
    expect(line).not.toBe(code)
    if (hasCurl) expect(await shell(line)).toContain('"content":"12 * 7 = 84"')
  },

  mounts: async ({ run }) => {
    const url = await (await run()).url(3000)
    for (const base of ['/api/ai/v1', '/v1', '/nested/ai/v1']) {
      expect(await ask(url + base), base).toMatchObject({ status: 200, text: '12 * 7 = 84' })
      expect(await ask(`${url}${base}/elsewhere`), base).toMatchObject({ status: 404, code: null })
    }
    expect(await (await fetch(`${url}/v1x`)).text()).toBe('a route of the application')
  },

  'after-parser': async ({ run }) => {
    const url = await (await run()).url(3000)
    const base = `${url}/api/ai/v1`
    expect(await ask(base)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(await ask(base, { content: `What is 12 * 7?${' '.repeat(200_000)}` })).toMatchObject({
      status: 200,
    })
    const refused = async (body: string) => {
      const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
      const response = await fetch(`${base}/chat/completions`, { method: 'POST', headers, body })
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message]
    }
    expect(await refused('{')).toEqual([400, expect.stringMatching(/^We could not parse the JSON body/)])
    expect(await refused(`"${'x'.repeat(27_000_000)}"`)).toEqual([413, expect.stringMatching(/content size/)])
  },

  principals: async ({ run }) => {
    const running = await run()
    const base = `${await running.url(3000)}/v1`
    const ann = { 'x-user': 'ann' }
    const asked = []
    for (const [model, headers] of [
      ['fast', ann],
      ['best', ann],
      ['fast', {}],
      ['fast', ann],
      ['fast', ann],
    ] as const)
      asked.push((await ask(base, { model, headers })).status)
    expect(asked).toEqual([200, 403, 401, 200, 429])
    await expect.poll(() => running.printed).toEqual(['200 ann', '403 ann', '401 ', '200 ann', '429 ann'])
    const form = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: ann,
      body: '{"model":"fast"}',
    })
    expect(form.status).toBe(400)
  },

  stopping: async ({ run }) => {
    const running = await run()
    const base = `${await running.url(3000)}/v1`
    expect(await ask(base)).toMatchObject({ status: 200 })
    await (running.exports.stop as () => Promise<void>)()
    await expect(ask(base)).rejects.toThrow()
    process.off('SIGTERM', running.exports.stop as () => void)
  },
})
