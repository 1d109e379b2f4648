import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Koa from 'koa'
import { expect } from 'vitest'
import { ask, askMessages } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { showsFile, startsFile } from './runner/example-file.ts'
import { curls, listens } from './runner/fake-vendors.ts'
import { root } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

const example = 'examples/koa-service/server.ts'
const minimal = 'examples/koa-service/minimal.ts'

describePage('docs/koa.md', {
  'quick-start': listens('/v1'),
  'quick-curl': curls('quick-start'),
  [minimal]: showsFile,
  'run-minimal': startsFile(minimal),

  [example]: async ({ code, run }) => {
    expect(code).toBe(readFileSync(join(root, example), 'utf8'))
    expect(code.split('\n').length).toBeLessThan(60)
    const url = await (await run({ PORT: '3000' })).url(3000)
    const base = `${url}/v1`
    const got = await ask(base, { key: 'session-of-ann', model: 'best' })
    expect(got).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(got.headers.get('server-timing')).toMatch(/^app;dur=/)
    expect(await ask(base, { key: 'session-of-bob', model: 'fast', stream: true })).toMatchObject({
      text: '12 * 7 = 84',
    })
    expect(await ask(base, { key: 'session-of-bob', model: 'best' })).toMatchObject({ status: 403 })
    expect(await ask(base, { key: 'a stranger', model: 'fast' })).toMatchObject({ status: 401 })
    expect(await askMessages(base, 'session-of-ann', 'best')).toEqual({ status: 200, text: '12 * 7 = 84' })
    expect(await askMessages(base, 'session-of-bob', 'best')).toMatchObject({ status: 403 })
    expect(await askMessages(base, 'a stranger', 'fast')).toMatchObject({ status: 401 })
    const own = await fetch(`${url}/hello`, { headers: { authorization: 'Bearer session-of-ann' } })
    expect(await own.json()).toEqual({ path: '/hello', user: 'ann' })
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
    for (const base of ['/api/ai/v1', '/v1', '/ai/v1']) {
      expect(await ask(url + base), base).toMatchObject({ status: 200, text: '12 * 7 = 84' })
      expect(await ask(`${url}${base}/elsewhere`), base).toMatchObject({ status: 404, code: null })
    }
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
  },

  'after-parser': async ({ run }) => {
    const base = `${await (await run()).url(3000)}/v1`
    expect(await ask(base)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    const long = `What is 12 * 7?${' '.repeat(2_000_000)}`
    expect(await ask(base, { content: long })).toMatchObject({ status: 200 })
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
    expect(running.printed).toEqual(['200 ann', '403 ann', '401 ', '200 ann', '429 ann'])
  },

  'client-disconnected': async ({ run }) => {
    const running = await run()
    const app = running.exports.app as Koa
    const reported = once(app as NodeJS.EventEmitter, 'error')
    const leaving = new AbortController()
    const response = await fetch(`${await running.url(3000)}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo',
        stream: true,
        messages: [{ role: 'user', content: `Repeat: ${'word '.repeat(1_000)}` }],
      }),
      signal: leaving.signal,
    })
    await response.body!.getReader().read()
    leaving.abort()
    expect((await reported)[0]).toMatchObject({
      code: 'ERR_STREAM_PREMATURE_CLOSE',
      message: 'Premature close',
    })
    expect(running.printed).toEqual([])
    app.emit('error', new Error('another one'))
    expect(running.printed).toEqual(['another one'])
  },
})
