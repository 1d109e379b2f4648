import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startUpstream, steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { vendorOfKnown } from '../../packages/cli/src/dev/known-models.ts'
import { ask } from './runner/ask.ts'
import { type Check, describePage, type Snippet } from './runner/describe-page.ts'
import { curls, expectVendors, fakeVendors, listens } from './runner/fake-vendors.ts'
import { fencesOf, pages, readPage, root } from './runner/markdown.ts'
import { runSnippet } from './runner/run-snippet.ts'

type Fetch = (request: Request) => Response | Promise<Response>

const openai = { model: 'gpt-5.5' }

/** The function from requests to responses that a snippet exports. */
async function fetchOf({ run }: Pick<Snippet, 'run'>): Promise<Fetch> {
  const { env, edit } = await fakeVendors()
  const { exports } = await run(env, edit)
  return (exports.POST ?? (exports.default as { fetch: Fetch }).fetch) as Fetch
}

const exportsFetch =
  (path: string): Check =>
  async snippet =>
    expectVendors(`http://sluice.test${path}`, await fetchOf(snippet))

/** Its curl line, sent to what another snippet exports. */
const curlsExport =
  (name: string): Check =>
  async ({ code }, others) => {
    const fetch = await fetchOf(others(name))
    const url = /http:\/\/\S+/.exec(code)![0]
    const headers = Object.fromEntries(
      [...code.matchAll(/-H '([\w-]+): ([^']+)'/g)].map(([, header, value]) => [header!, value!]),
    )
    const body = /-d '(.*)'/.exec(code)![1]!
    const response = await fetch(new Request(url, { method: 'POST', headers, body }))
    expect(await response.text()).toContain('"content":"From Anthropic."')
  }

/** What a service of users answers to one, and to nobody. */
const knowsUsers =
  (path: string, headers: Record<string, string>): Check =>
  async snippet => {
    const fetch = await fetchOf(snippet)
    const base = `http://sluice.test${path}`
    expect(await ask(base, { ...openai, fetch, headers })).toMatchObject({ status: 200 })
    expect(await ask(base, { ...openai, fetch })).toMatchObject({ status: 401 })
  }

describePage('docs/quick-start.md', {
  dev: async ({ code }) => expect(code).toBe('npx sluice dev\n'),

  pack: async ({ code }) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const [build, pack] = code.trimEnd().split('\n')
    expect(build).toBe('npx -y pnpm build')
    // With the types.
    expect(scripts.build).not.toContain('--no-types')
    expect(pack).toBe('npx -y pnpm pack:all ../my-app/sluice')
    expect(scripts['pack:all']).toBe('node scripts/pack-all.mjs')
  },

  'install-packed': async ({ code }) => expect(code).toBe('npm install ./sluice/*.tgz\n'),

  keys: async ({ code }) => {
    const { env } = await fakeVendors()
    expect([...code.matchAll(/^export (\w+)=/gm)].map(([, name]) => name)).toEqual(Object.keys(env))
  },

  openai: async snippet => expect(await printedByClient(snippet)).toEqual(['From Anthropic.']),
  anthropic: async snippet => expect(await printedByClient(snippet)).toEqual(['From OpenAI.']),

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

/** What a client prints that calls the gateway of another page. */
async function printedByClient({ run }: Pick<Snippet, 'run'>): Promise<readonly string[]> {
  const { env, edit } = await fakeVendors()
  const server = await runSnippet(edit(fenceOf('docs/node.md', 'serve')), env)
  try {
    const url = await server.url(3000)
    return (await run({}, code => code.replace('http://localhost:3000', url))).printed
  } finally {
    await server.stop()
  }
}

function fenceOf(page: string, name: string): string {
  return fencesOf(page).find(fence => fence.name === name)!.code
}

describePage('docs/node.md', {
  serve: listens('/v1'),
  curl: curls('serve'),
  'node-http': async ({ run }) => {
    const { env, edit } = await fakeVendors()
    const base = `${await (await run(env, edit)).url(3000)}/v1`
    expect(await ask(base, openai)).toMatchObject({ text: 'From OpenAI.' })
  },
})

/** More than the 1 MiB that Fastify reads. */
const large = 'x'.repeat(1_100_000)

describePage('docs/fastify.md', {
  fastify: async snippet => {
    const { env, edit } = await fakeVendors()
    const base = `${await (await snippet.run(env, edit)).url(3000)}/v1`
    await expectVendors(base)
    // Beyond Fastify's own bound, and no JSON: the gateway decides.
    expect(await ask(base, { ...openai, content: large })).toMatchObject({ status: 200 })
    expect(await rejection(base)).toHaveProperty('error.type', 'invalid_request_error')
  },
  curl: curls('fastify'),
  users: async ({ run }) => {
    const { env, edit } = await fakeVendors()
    const base = `${await (await run(env, edit)).url(3000)}/v1`
    expect(await ask(base, { ...openai, headers: { 'x-user': 'ann' } })).toMatchObject({ status: 200 })
    expect(await ask(base, openai)).toMatchObject({ status: 401 })
  },
})

/** What a service says of a body. */
async function rejection(base: string, body = '{"model":'): Promise<unknown> {
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  return (await fetch(`${base}/chat/completions`, { method: 'POST', headers, body })).json()
}

/** Replaces a part that has to be there. */
function replaced(code: string, part: string | RegExp, other: string): string {
  const text = code.replace(part, () => other)
  expect(text).not.toBe(code)
  return text
}

it('answers in Fastify if the body is parsed, in the bounds and the shape of Fastify', async () => {
  const described = 'listener(Object.assign(request.raw, { body: request.body }), reply.raw)'
  expect(readFileSync(join(root, 'docs/fastify.md'), 'utf8')).toContain(`\`${described}\``)
  const parsed = replaced(fenceOf('docs/fastify.md', 'fastify'), /^ *scope\.(?:remove|add).*\n/gm, '')
  const { env, edit } = await fakeVendors()
  const running = await runSnippet(edit(replaced(parsed, 'listener(request.raw, reply.raw)', described)), env)
  try {
    const base = `${await running.url(3000)}/v1`
    await expectVendors(base)
    expect(await rejection(base)).toMatchObject({ statusCode: 400 })
    expect(await rejection(base, JSON.stringify({ content: large }))).toMatchObject({ statusCode: 413 })
  } finally {
    await running.stop()
  }
})

describePage('docs/hono.md', {
  hono: async snippet => {
    await exportsFetch('/api/ai/v1')(snippet, () => snippet)
    const page = readFileSync(join(root, 'docs/hono.md'), 'utf8')
    for (const [described, path] of [
      ["app.all('/v1/*', c => gateway.fetch(c.req.raw))", '/v1'],
      ["app.mount('/ai', gateway.fetch)", '/ai/v1'],
    ] as const) {
      expect(page).toContain(described)
      const run: Snippet['run'] = (env, edit = code => code) =>
        snippet.run(env, code => replaced(edit(code), /^app\.all\(.*$/m, described))
      await exportsFetch(path)({ ...snippet, run }, () => snippet)
    }
  },
  curl: curlsExport('hono'),
  users: knowsUsers('/v1', { 'x-user': 'ann' }),
})

describePage('docs/nextjs.md', {
  next: async snippet => {
    await exportsFetch('/api/ai/v1')(snippet, () => snippet)
    const { env, edit } = await fakeVendors()
    const { exports } = await snippet.run(env, edit)
    expect(exports.GET).toBe(exports.POST)
  },
  curl: curlsExport('next'),
  users: knowsUsers('/api/ai/v1', { cookie: 'theme=dark; session=session-of-ann' }),
})

it('sluice dev knows the models that the pages take from OpenAI, Anthropic and Gemini by default', () => {
  const calls = pages.flatMap(page => [
    ...readPage(page).matchAll(/\b(openai|anthropic|gemini)\(\)\('([\w.-]+)'/g),
  ])
  expect(calls.length).toBeGreaterThan(10)
  for (const [call, vendor, model = ''] of calls) expect(vendorOfKnown(model), call).toBe(vendor)
})
