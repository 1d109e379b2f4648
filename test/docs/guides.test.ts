import { context, trace } from '@opentelemetry/api'
import type { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import type { Gateway } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import { startUpstream, steps } from '@sluice/testing'
import { expect, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { otlpCollector } from '../e2e/telemetry/otlp-collector.ts'
import { ask } from './runner/ask.ts'
import { type Check, describePage, type Snippet } from './runner/describe-page.ts'
import { fakeVendors } from './runner/fake-vendors.ts'
import { fencesOf } from './runner/markdown.ts'
import { runSnippet } from './runner/run-snippet.ts'
import { shell } from './runner/shell.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

/** The block of a page in a language that is not run. */
const fenceOf = (page: string, language: string) =>
  fencesOf(page).find(fence => fence.language === language)!.code

/** A client that calls the gateway of `docs/node.md`, and what it prints. */
const prints =
  (text: string): Check =>
  async ({ run }) => {
    const { env, edit } = await fakeVendors()
    const gateway = fencesOf('docs/node.md').find(({ name }) => name === 'serve')!.code
    const server = await runSnippet(edit(gateway), env)
    try {
      const url = await server.url(3000)
      const { printed } = await run({}, code => code.replace('http://localhost:3000', url))
      expect(printed).toEqual([text])
    } finally {
      await server.stop()
    }
  }

/** A client in the process of its gateway. */
const printsInProcess: Check = async ({ run }) => {
  const { env, edit, openai } = await fakeVendors()
  expect((await run(env, edit)).printed).toEqual(['From OpenAI.'])
  expect(openai.requests).toHaveLength(1)
}

/** A service of both vendors on port 3000, for the users of one client. */
async function serviceOf({ run }: Pick<Snippet, 'run'>, change = (code: string) => code): Promise<string> {
  const { env, edit } = await fakeVendors()
  return `${await (await run(env, code => change(edit(code)))).url(3000)}/v1`
}

/** The same text with a part replaced that has to be there. */
function replaced(code: string, part: string, other: string): string {
  expect(code).toContain(part)
  return code.replace(part, other)
}

describePage('docs/open-webui.md', {
  docker: async ({ code }, others) => {
    expect(code).toMatch(/OPENAI_API_BASE_URL=http:\/\/host\.docker\.internal:3000\/v1 /)
    const key = /OPENAI_API_KEY=(\S+)/.exec(code)![1]
    expect(others('users').code).toContain(`'${key}'`)
  },
  users: async snippet => {
    const base = await serviceOf(snippet, code => replaced(code, 'requests(30)', 'requests(1)'))
    const as = (user: string) => ask(base, { model: 'gpt-5.5', headers: { 'x-openwebui-user-id': user } })
    expect(await as('ann')).toMatchObject({ status: 200, text: 'From OpenAI.' })
    expect(await as('ann')).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(await as('bob')).toMatchObject({ status: 200 })
    expect(await ask(base, { model: 'claude-sonnet-5' })).toMatchObject({ text: 'From Anthropic.' })
    const stranger = { key: 'sk-wrong', model: 'gpt-5.5', headers: { 'x-openwebui-user-id': 'eve' } }
    expect(await ask(base, stranger)).toMatchObject({ status: 401 })
  },
})

describePage('docs/librechat.md', {
  users: async snippet => {
    const [endpoint] = parse(fenceOf('docs/librechat.md', 'yaml')).endpoints.custom
    for (const model of [...endpoint.models.default, endpoint.titleModel])
      expect(snippet.code).toContain(`'${model}': `)
    const base = await serviceOf(snippet, code => replaced(code, 'requests(30)', 'requests(1)'))
    const as = async (user: string) => {
      const response = await fetch(`${base}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-5.5', user, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      return response.status
    }
    expect([await as('ann'), await as('ann'), await as('bob')]).toEqual([200, 429, 200])
  },
})

describePage('docs/cursor.md', {
  gateway: async snippet => {
    const base = await serviceOf(snippet)
    expect(await ask(base, { model: 'team-gpt', stream: true })).toMatchObject({ text: 'From OpenAI.' })
    expect(await ask(base, { model: 'team-claude' })).toMatchObject({ text: 'From Anthropic.' })
    expect(await ask(base, { model: 'gpt-5.5' })).toMatchObject({ status: 404 })
    const responses = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'team-gpt', input: 'Hi' }),
    })
    expect([responses.status, await responses.json()]).toMatchObject([
      400,
      { error: { code: 'missing_required_parameter' } },
    ])
  },
})

describePage('docs/langchain.md', {
  openai: prints('From Anthropic.'),
  anthropic: prints('From OpenAI.'),
  'in-process': printsInProcess,
})

describePage('docs/ai-sdk.md', {
  compatible: prints('From OpenAI.'),
  anthropic: prints('From Anthropic.'),
  responses: prints('From Anthropic.'),
  'in-process': printsInProcess,
})

/** A snippet with a database of its own. */
const withDatabase = () => ({ SLUICE_DB: `file:${temporaryFolder()}/users.db` })

describePage('docs/user-budgets.md', {
  plans: async snippet => {
    const poor = (code: string) => replaced(code, "budget(1, 'usd')", "budget(0.01, 'usd')")
    const { gateway, database } = (await snippet.run(withDatabase(), poor)).exports as {
      gateway: Gateway
      database: Database
    }
    onTestFinished(() => database.close())
    const as = (key: string) => ask('http://sluice.test/v1', { key, model: 'large', fetch: gateway.fetch })
    expect(await as('session-of-ann')).toMatchObject({ status: 200 })
    const rejected = await as('session-of-bob')
    expect(rejected).toMatchObject({ status: 429, code: 'insufficient_quota' })
    expect(rejected.headers.get('x-should-retry')).toBe('false')
    expect(await as('nobody')).toMatchObject({ status: 401 })
  },
  spent: async (snippet, others) => {
    const env = withDatabase()
    const { gateway, database } = (await others('plans').run(env)).exports as {
      gateway: Gateway
      database: Database
    }
    await ask('http://sluice.test/v1', { key: 'session-of-ann', model: 'large', fetch: gateway.fetch })
    await gateway.close()
    await database.close()
    const { printed } = await snippet.run(env)
    expect(printed).toEqual([expect.stringMatching(/^ann 1 0\.0\d+/)])
  },
  'end-users': async snippet => {
    const poor = (code: string) =>
      replaced(
        code,
        "budget(1, 'usd').per('month').by('user')",
        "budget(0.05, 'usd').per('month').by('user')",
      )
    const { gateway } = (await snippet.run({}, poor)).exports as { gateway: Gateway }
    const as = async (user: string) => {
      const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-shop', 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'large',
          user,
          messages: [{ role: 'user', content: 'x'.repeat(9_000) }],
        }),
      })
      await response.text()
      return response.status
    }
    const answers = []
    for (let at = 0; at < 12; at += 1) answers.push(await as('ann'))
    expect(answers[0]).toBe(200)
    expect(answers.at(-1)).toBe(429)
    expect(await as('bob')).toBe(200)
  },
})

/** What a vendor is sent, and what the caller reads, if the model repeats a placeholder. */
async function redacted({ run }: Pick<Snippet, 'run'>, key: string, content: string) {
  const upstream = await startUpstream(steps.answer({ text: 'I wrote to [EMAIL_1].' }))
  onTestFinished(() => upstream.close())
  const { gateway } = (
    await run({ OPENAI_API_KEY: 'sk-openai' }, code =>
      replaced(code, 'openai()', `openai({ baseURL: '${upstream.baseURL}' })`),
    )
  ).exports as { gateway: Gateway }
  const asking = { key, model: 'gpt-5.5', content, fetch: gateway.fetch }
  const answers = [
    await ask('http://sluice.test/v1', asking),
    await ask('http://sluice.test/v1', { ...asking, stream: true }),
  ]
  return { sent: upstream.requests[0]!.body, read: answers.map(({ text }) => text) }
}

const mail = 'Mail ann@example.com about C-123456.'

describePage('docs/redaction.md', {
  redact: async snippet => {
    const { sent, read } = await redacted(snippet, 'sk-test', mail)
    expect(sent).toContain('"Mail [EMAIL_1] about C-123456."')
    expect(read).toEqual(['I wrote to ann@example.com.', 'I wrote to ann@example.com.'])
  },
  choose: async snippet => {
    expect((await redacted(snippet, 'sk-ann', mail)).sent).toContain('"Mail [EMAIL_1] about [CUSTOMER_1]."')
    expect((await redacted(snippet, 'sk-legal', mail)).sent).toContain(mail)
  },
})

const projectKeys = 'LANGFUSE_PUBLIC_KEY=pk-lf-1 LANGFUSE_SECRET_KEY=sk-lf-2'

describePage('docs/langfuse.md', {
  // The block in the shell, then the one in TypeScript.
  langfuse: async ({ code }, others) => {
    const printed = await shell(`export ${projectKeys}\n${code}\necho "$OTEL_EXPORTER_OTLP_HEADERS"`)
    expect(printed).toBe(
      `Authorization=Basic ${Buffer.from('pk-lf-1:sk-lf-2').toString('base64')},x-langfuse-ingestion-version=4\n`,
    )
    const { receivers, exporters, service } = parse(fenceOf('docs/langfuse.md', 'yaml'))
    for (const pipeline of Object.values<Record<string, string[]>>(service.pipelines)) {
      expect(Object.keys(receivers)).toEqual(expect.arrayContaining(pipeline.receivers!))
      expect(Object.keys(exporters)).toEqual(expect.arrayContaining(pipeline.exporters!))
    }
    expect(others('install').code).toContain('@opentelemetry/exporter-trace-otlp-http')
  },
  install: async ({ code }, others) => {
    const imported = [...others('gateway').code.matchAll(/from '(@opentelemetry\/[\w-]+)'/g)]
    expect(imported).toHaveLength(4)
    for (const [, name] of imported) expect(code).toContain(name)
  },
  gateway: async snippet => {
    const collector = await otlpCollector()
    const { env, edit } = await fakeVendors()
    const { exports } = await snippet.run({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, edit)
    const { spans, gateway } = exports as { spans: BasicTracerProvider; gateway: Gateway }
    onTestFinished(async () => {
      await collector.close()
      for (const api of [trace, context]) api.disable()
    })
    await ask('http://sluice.test/v1', { model: 'gpt-5.5', content: 'Say hello.', fetch: gateway.fetch })
    await spans.shutdown()
    await gateway.close()
    expect(collector.spans.map(({ name }) => name)).toEqual(['chat gpt-5.5', 'chat gpt-5.5'])
    expect(collector.payload).toContain('Say hello.')
    expect(collector.payload).not.toContain('From OpenAI.')
  },
})

describePage('docs/concepts.md', {
  gateway: async ({ run }) => {
    const running = await run()
    const { gateway } = running.exports as { gateway: Gateway }
    const asking = { key: 'sk-ann', model: 'small', fetch: gateway.fetch }
    expect(await ask('http://sluice.test/v1', asking)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    await gateway.close()
    expect(running.printed).toEqual([expect.stringMatching(/^ann small 200 0\.0000\d+$/)])
  },
})
