import { readFileSync } from 'node:fs'
import type { Gateway } from '@sluice/core'
import { startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { responsesFamily } from '../e2e/families/responses-family.ts'
import { anthropicMessage } from './runner/anthropic-message.ts'
import { describePage } from './runner/describe-page.ts'

const page = readFileSync(new URL('../../docs/codex.md', import.meta.url), 'utf8')
const toml = /```toml\n([\s\S]*?)```/.exec(page)![1]!

/** A setting of `config.toml`, by its name. */
const setting = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(toml)?.[1]

async function upstream(...scripts: Parameters<typeof startUpstream>) {
  const started = await startUpstream(...scripts)
  onTestFinished(() => started.close())
  return started
}

/** What Codex sends, as far as a gateway reads it. */
const asked = (model: string) => ({
  model,
  stream: true,
  store: false,
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'You are a coding agent.' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] },
  ],
  include: ['reasoning.encrypted_content'],
  tools: [
    { type: 'function', name: 'exec_command', strict: false, parameters: { type: 'object' } },
    { type: 'web_search', external_web_access: false },
  ],
  client_metadata: { a: 'b' },
})

const post = (url: string, body: object) =>
  new Request(url, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** A stream in the Responses API. */
function answered(text: string) {
  const { body, headers } = responsesFamily.answer({ text }, true, {})
  return steps.reply(String(body), { headers })
}

const message = anthropicMessage('From Claude.')

describePage('docs/codex.md', {
  gateway: async ({ run }) => {
    const openai = await upstream(answered('From GPT.'))
    const anthropic = await upstream(steps.reply(message))
    const running = await run({
      OPENAI_API_KEY: 'sk-b',
      OPENAI_UPSTREAM: openai.baseURL,
      ANTHROPIC_API_KEY: 'sk-a',
      ANTHROPIC_UPSTREAM: anthropic.baseURL,
    })
    const url = await running.url(3000)
    const passed = await fetch(post(`${url}/v1/responses`, asked('gpt-5.5')))
    expect(await passed.text()).toContain('From GPT.')
    expect(JSON.parse(openai.requests[0]!.body)).toMatchObject(asked('gpt-5.5'))
    const translated = await fetch(
      post(`${url}/v1/responses`, { ...asked('claude-sonnet-5'), stream: false }),
    )
    expect(await translated.json()).toMatchObject({
      model: 'claude-sonnet-5',
      store: false,
      output: [{ content: [{ text: 'From Claude.' }] }],
    })
    const sent = JSON.parse(anthropic.requests[0]!.body)
    expect(sent.tools).toMatchObject([{ name: 'exec_command' }])
    expect(sent.max_tokens).toBeGreaterThanOrEqual(32_000)
    const adjustments = translated.headers.get('x-sluice-adjustments')
    for (const name of ['client_metadata', 'tools[1]']) expect(adjustments).toContain(name)
  },

  codex: async ({ code }, others) => {
    const gateway = others('gateway').code
    const [, name, key] = /export (\w+)=(\S+)/.exec(code)!
    expect(name).toBe(setting('env_key'))
    expect(gateway).toContain(`key: '${key}'`)
    for (const model of [setting('model'), /--model (\S+)/.exec(code)![1]])
      expect(gateway).toContain(`'${model}': `)
    expect(gateway).toContain(`port: ${new URL(setting('base_url')!).port}`)
    expect(toml).toContain(`[model_providers.${setting('model_provider')}]`)
    expect(setting('wire_api')).toBe('responses')
  },

  limits: async ({ run }) => {
    const openai = await upstream(answered('From GPT.'))
    const env = { OPENAI_API_KEY: 'sk-b', OPENAI_UPSTREAM: openai.baseURL }
    const url = 'http://sluice.test/v1/responses'
    const { fetch } = (await run(env)).exports.gateway as Gateway
    const answer = await fetch(post(url, asked('gpt-5.5')))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('From GPT.')])
    expect(answer.headers.get('x-sluice-adjustments')).toContain('tools[1]')
    expect(openai.requests[0]!.body).not.toContain('web_search')
    const poor = (await run(env, code => code.replace('budget(20,', 'budget(0.00001,'))).exports
      .gateway as Gateway
    const refused = await poor.fetch(post(url, asked('gpt-5.5')))
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false'])
    expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } })
  },
})

it('docs/codex.md has the settings that Codex needs', () => {
  expect(toml).toMatch(/^base_url = "http:\/\/localhost:3000\/v1"$/m)
})
