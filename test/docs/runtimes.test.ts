import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { fencesOf, root } from './runner/markdown.ts'
import { runSnippet } from './runner/run-snippet.ts'

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
  async ({ run }: Pick<Snippet, 'run'>) => {
    const { exports } = await run()
    await expectAnswers((exports.default as { fetch: Fetch }).fetch, base)
  }

/** What a service says of a body. */
async function refusalOf(base: string, body = '{"model":'): Promise<unknown> {
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  return (await fetch(`${base}/chat/completions`, { method: 'POST', headers, body })).json()
}

/** Puts something else in place of what has to be there. */
const edited =
  (part: string | RegExp, other: string) =>
  (code: string): string => {
    const text = code.replace(part, () => other)
    expect(text).not.toBe(code)
    return text
  }

/** More than the 1 MiB that Fastify reads. */
const large = 'x'.repeat(1_100_000)
const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8')

describePage('docs/runtimes.md', {
  bun: exported(),
  deno: exported(),
  workers: exported(),

  hono: async ({ run }) => {
    await exported('/api/ai/v1')({ run })
    const asTold: readonly (readonly [told: string, base: string])[] = [
      ["app.all('/v1/*', c => gateway.fetch(c.req.raw))", '/v1'],
      ["app.mount('/ai', gateway.fetch)", '/ai/v1'],
    ]
    for (const [told, base] of asTold) {
      expect(page).toContain(told)
      await exported(base)({ run: env => run(env, edited(/^app\.all\(.*$/m, told)) })
    }
  },

  fastify: async ({ run }) => {
    const base = `${await (await run()).url(3000)}/v1`
    expect(await ask(base)).toMatchObject({ status: 200 })
    expect(await ask(base, { key: 'sk-wrong', stream: true })).toMatchObject({ status: 401 })
    // Beyond Fastify's own bound, and no JSON: the gateway decides.
    expect(await ask(base, { content: large })).toMatchObject({ status: 200 })
    expect(await refusalOf(base)).toHaveProperty('error.type', 'invalid_request_error')
  },

  next: async ({ run }) => {
    const { exports } = await run()
    expect(exports.GET).toBe(exports.POST)
    await expectAnswers(exports.POST as Fetch, '/api/ai/v1')
  },
})

it('answers in Fastify where the body is parsed, in the bounds and the shape of Fastify', async () => {
  const told = 'listener(Object.assign(request.raw, { body: request.body }), reply.raw)'
  expect(page).toContain(`\`${told}\``)
  const { code } = fencesOf('docs/runtimes.md').find(({ name }) => name === 'fastify')!
  const parsed = edited(/^ *scope\.(?:remove|add).*\n/gm, '')(code)
  const running = await runSnippet(edited('listener(request.raw, reply.raw)', told)(parsed))
  try {
    const base = `${await running.url(3000)}/v1`
    for (const stream of [false, true])
      expect(await ask(base, { stream })).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(await ask(base, { key: 'sk-wrong' })).toMatchObject({ status: 401 })
    expect(await refusalOf(base)).toMatchObject({ statusCode: 400 })
    expect(await refusalOf(base, JSON.stringify({ content: large }))).toMatchObject({ statusCode: 413 })
  } finally {
    await running.stop()
  }
})
