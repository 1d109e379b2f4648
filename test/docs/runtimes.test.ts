import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'

// On Node: the runtimes themselves, and Next.js, run these snippets in scripts/test-runtimes.mjs.

type Fetch = (request: Request) => Response | Promise<Response>

/** What a module exports answers below a base. */
async function expectAnswers(fetch: Fetch, base = '/v1'): Promise<void> {
  const url = `http://sluice.test${base}`
  expect(await ask(url, { fetch })).toMatchObject({ status: 200 })
  expect(await ask(url, { fetch, stream: true })).toMatchObject({ status: 200 })
  expect(await ask(url, { fetch, key: 'sk-wrong' })).toMatchObject({ status: 401 })
}

const exported =
  (base?: string) =>
  async ({ run }: Snippet) => {
    const { exports } = await run()
    await expectAnswers((exports.default as { fetch: Fetch }).fetch, base)
  }

describePage('docs/runtimes.md', {
  bun: exported(),
  deno: exported(),
  workers: exported(),
  hono: exported('/api/ai/v1'),

  fastify: async ({ run }) => {
    const url = await (await run()).url(3000)
    expect(await ask(`${url}/v1`)).toMatchObject({ status: 200 })
    expect(await ask(`${url}/v1`, { key: 'sk-wrong', stream: true })).toMatchObject({ status: 401 })
  },

  next: async ({ run }) => {
    const { exports } = await run()
    expect(exports.GET).toBe(exports.POST)
    await expectAnswers(exports.POST as Fetch, '/api/ai/v1')
  },
})
