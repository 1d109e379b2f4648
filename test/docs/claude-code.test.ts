import type { Gateway } from '@sluice/core'
import { startUpstream, steps } from '@sluice/testing'
import { expect, onTestFinished } from 'vitest'
import { anthropicMessage } from './runner/anthropic-message.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'

const message = anthropicMessage('From Claude.')

async function upstream(...scripts: Parameters<typeof startUpstream>) {
  const started = await startUpstream(...scripts)
  onTestFinished(() => started.close())
  return started
}

/** What Claude Code sends, as far as a gateway reads it. */
const asked = (model: string) => ({
  model,
  max_tokens: 128_000,
  system: [{ type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
  thinking: { type: 'adaptive' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
})

const post = (url: string, body: object, key = 'sk-ann') =>
  new Request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  })

/** The variables and the arguments of `claude` in a snippet. */
function settingsOf({ code }: Pick<Snippet, 'code'>): Readonly<Record<string, string | undefined>> {
  const exported = [...code.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name, value]) => [name!, value!])
  return { ...Object.fromEntries(exported), model: /--model (\S+)/.exec(code)?.[1] }
}

describePage('docs/claude-code.md', {
  gateway: async ({ run }) => {
    const anthropic = await upstream(steps.reply(message))
    const openai = await upstream(steps.answer({ text: 'From the other vendor.' }))
    const running = await run({
      ANTHROPIC_API_KEY: 'sk-a',
      ANTHROPIC_UPSTREAM: anthropic.baseURL,
      OPENAI_API_KEY: 'sk-b',
      OPENAI_UPSTREAM: openai.baseURL,
    })
    const url = await running.url(3000)
    expect((await fetch(`${url}/api/hello`, { method: 'HEAD' })).status).toBe(200)
    const passed = await fetch(post(`${url}/v1/messages?beta=true`, asked('claude-sonnet-5')))
    expect(await passed.json()).toEqual(message)
    expect(anthropic.requests[0]!.body).toBe(JSON.stringify(asked('claude-sonnet-5')))
    const translated = await fetch(post(`${url}/v1/messages?beta=true`, asked('gpt-5.2')))
    expect(await translated.json()).toMatchObject({
      type: 'message',
      model: 'gpt-5.2',
      content: [{ type: 'text', text: 'From the other vendor.' }],
    })
    expect(JSON.parse(openai.requests[0]!.body)).toMatchObject({
      messages: [{ role: expect.any(String) }, { role: 'user' }],
    })
    expect(translated.headers.get('x-sluice-adjustments')).toContain('context_management')
  },

  claude: async (snippet, others) => {
    const { ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, ...rest } = settingsOf(snippet)
    const { code } = others('gateway')
    expect(ANTHROPIC_BASE_URL).toBe('http://localhost:3000')
    expect(code).toContain(`key: '${ANTHROPIC_AUTH_TOKEN}'`)
    expect(code).toContain(`'${rest.model}': `)
    expect(code).toContain(`'${rest.ANTHROPIC_DEFAULT_HAIKU_MODEL}': `)
  },

  declared: async ({ run }) => {
    const groq = await upstream(steps.answer({ text: 'Fast.' }))
    const { exports } = await run({ GROQ_API_KEY: 'gsk', GROQ_UPSTREAM: groq.baseURL })
    const { fetch } = exports.gateway as Gateway
    const answer = await fetch(post('http://sluice.test/v1/messages', asked('fast')))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-sluice-adjustments')).toContain('"max_tokens";action=mapped')
    expect(groq.requests[0]!.body).toContain('32768')
  },

  window: async snippet => {
    const { CLAUDE_CODE_AUTO_COMPACT_WINDOW: tokens, CLAUDE_CODE_MAX_OUTPUT_TOKENS: output } = settingsOf(
      snippet,
    ) as Record<string, string>
    expect(Number(output)).toBeLessThan(Number(tokens))
  },

  limits: async ({ run }) => {
    const anthropic = await upstream(steps.reply(message))
    const env = { ANTHROPIC_API_KEY: 'sk-a', ANTHROPIC_UPSTREAM: anthropic.baseURL }
    const url = 'http://sluice.test/v1/messages'
    const { fetch } = (await run(env)).exports.gateway as Gateway
    const { max_tokens, ...counted } = asked('claude-sonnet-5')
    const answer = await fetch(post(url, { max_tokens, ...counted }))
    expect(answer.status).toBe(200)
    const remaining = Number(answer.headers.get('anthropic-ratelimit-tokens-remaining'))
    expect(remaining).toBeLessThan(4_000_000 - 128_000)
    const fast = await fetch(post(url, { ...asked('claude-sonnet-5'), speed: 'fast' }))
    expect(fast.status).toBe(400)
    const poor = (await run(env, code => code.replace('budget(20,', 'budget(0.01,'))).exports
      .gateway as Gateway
    const refused = await poor.fetch(post(url, asked('claude-sonnet-5')))
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([402, 'false'])
    expect(await refused.json()).toMatchObject({ error: { type: 'billing_error' } })
    const small = (await run(env, code => code.replace('4_000_000', '100_000'))).exports.gateway as Gateway
    expect((await small.fetch(post(url, asked('claude-sonnet-5')))).status).toBe(429)
  },
})
