import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startUpstream, steps } from '@sluice/testing'
import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { type Check, describePage } from './runner/describe-page.ts'
import { root } from './runner/markdown.ts'
import { hasCurl, shell } from './runner/shell.ts'

const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

/** The commands themselves install and build; here only that what they run exists. */
const script: Check = async ({ code }) => {
  const name = /^npx -y pnpm (\w+)\n$/.exec(code)?.[1]
  expect(scripts[name!]).toBeTypeOf('string')
}

const showsFile: Check = async ({ name, code, run }) => {
  expect(code).toBe(readFileSync(join(root, name), 'utf8'))
  const running = await run()
  const baseURL = `${await running.url(3000)}/v1`
  expect(await ask(baseURL)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
  expect(await ask(baseURL, { stream: true })).toMatchObject({ status: 200, text: '12 * 7 = 84' })
  expect(await ask(baseURL, { key: 'sk-wrong' })).toMatchObject({ status: 401, code: 'invalid_api_key' })
}

/** What it starts is a file that is shown, and tested above. */
const startsFile =
  (file: string): Check =>
  async ({ code }, snippet) => {
    expect(code).toBe(`npx -y pnpm exec tsx ${file}\n`)
    expect(snippet(file).code).toContain('listen(3000)')
  }

const express = 'examples/express-app/minimal.ts'
const koa = 'examples/koa-service/minimal.ts'

describePage('README.md', {
  start: script,
  test: script,
  [express]: showsFile,
  [koa]: showsFile,
  'run-express': startsFile(express),
  'run-koa': startsFile(koa),

  curl: async ({ code }, snippet) => {
    const server = await snippet(express).run()
    const line = code.replace('http://localhost:3000', await server.url(3000))
    expect(line).not.toBe(code)
    if (hasCurl) expect(await shell(line)).toContain('"content":"12 * 7 = 84"')
  },

  client: async ({ run }, snippet) => {
    const server = await snippet(express).run()
    const url = await server.url(3000)
    const { printed } = await run({}, code => code.replace('http://localhost:3000', url))
    expect(printed).toEqual(['12 * 7 = 84'])
  },

  'node-http': async ({ run }) => {
    const running = await run()
    expect(await ask(`${await running.url(3000)}/v1`)).toMatchObject({ text: '12 * 7 = 84' })
  },

  'own-gateway': async ({ run }) => {
    for (const missing of ['OPENAI_API_KEY', 'GROQ_API_KEY'])
      await expect(run({ OPENAI_API_KEY: 'sk-a', GROQ_API_KEY: 'gsk-b', [missing]: '' })).rejects.toThrow(
        `${missing.split('_')[0]!.toLowerCase()}(): apiKey: got an empty string`,
      )
    const first = await startUpstream(steps.reply({ error: { message: 'busy' } }, { status: 503 }))
    const second = await startUpstream(steps.answer({ text: 'From the second.' }))
    const running = await run({
      OPENAI_API_KEY: 'sk-first',
      OPENAI_BASE_URL: first.baseURL,
      GROQ_API_KEY: 'gsk-second',
      GROQ_BASE_URL: second.baseURL,
    })
    const baseURL = `${await running.url(3000)}/v1`
    const got = await ask(baseURL, { key: 'sk-ann', model: 'large' })
    expect(got).toMatchObject({ status: 200, text: 'From the second.' })
    expect(got.headers.get('x-ratelimit-limit-requests')).toBe('60')
    expect(first.requests).toHaveLength(1)
    expect(JSON.parse(second.requests[0]!.body)).toMatchObject({ model: 'llama-3.3-70b-versatile' })
    expect(await ask(baseURL, { key: 'sk-bob', model: 'large' })).toMatchObject({ status: 403 })
    expect(await ask(baseURL, { key: 'sk-bob', model: 'small' })).toMatchObject({ status: 200 })
    expect(await ask(baseURL, { key: 'sk-ann', model: 'other' })).toMatchObject({ status: 404 })
    expect(running.printed[0]).toMatch(/^200 ann large \d+$/)
    await first.close()
    await second.close()
  },
})
