import { readFile } from 'node:fs/promises'
import type { Gateway } from '@sluice/core'
import { expect } from 'vitest'
import { type Asking, ask } from './runner/ask.ts'
import { type Check, describePage, type Snippet } from './runner/describe-page.ts'
import { tableUnder } from './runner/markdown.ts'

const page = 'docs/local.md'
const here = 'http://sluice.test/v1'

async function gatewayOf(snippet: Snippet) {
  const gateway = (await snippet.run()).exports.gateway as Gateway
  const post = (body: object) =>
    gateway.fetch(`${here}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }], ...body }),
    })
  return { post, asking: (asking: Asking = {}) => ask(here, { fetch: gateway.fetch, ...asking }) }
}

const skills: Check = async snippet => {
  const { post, asking } = await gatewayOf(snippet)
  for (const [content = '', text] of tableUnder(page, '## Responses')) {
    expect(await asking({ content }), content).toMatchObject({ text })
    expect(await asking({ content, stream: true }), content).toMatchObject({ text })
  }
  expect((await asking({ content: 'Why is the sky blue?' })).text).toMatch(/not a language model.*sky blue/)
  expect(await (await post({})).json()).toMatchObject({ system_fingerprint: 'local-not-a-language-model' })

  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    required: ['city', 'days'],
  }
  const tools = [{ type: 'function', function: { name: 'forecast', parameters } }]
  const called = await (await post({ tools, tool_choice: 'required' })).json()
  const [call] = called.choices[0].message.tool_calls
  expect(called.choices[0].finish_reason).toBe('tool_calls')
  expect(call.function.name).toBe('forecast')
  expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String), days: expect.any(Number) })
  const messages = [
    { role: 'user', content: 'Hello' },
    called.choices[0].message,
    { role: 'tool', tool_call_id: call.id, content: '{"sky":"clear"}' },
  ]
  expect((await (await post({ messages, tools })).json()).choices[0].message.content).toContain(
    '"sky":"clear"',
  )

  const response_format = { type: 'json_schema', json_schema: { name: 'f', schema: parameters } }
  const answered = await post({ response_format })
  expect(answered.headers.get('x-sluice-adjustments')).toBeNull()
  const structured = await answered.json()
  expect(JSON.parse(structured.choices[0].message.content)).toMatchObject({ days: expect.any(Number) })
  const schema = {
    type: 'object',
    properties: { code: { type: 'string', pattern: '^[A-Z]$' } },
    required: ['code'],
  }
  const adjusted = await post({
    response_format: { type: 'json_schema', json_schema: { name: 'f', schema } },
  })
  expect(await readFile(page, 'utf8')).toContain(
    `x-sluice-adjustments: ${adjusted.headers.get('x-sluice-adjustments')}\n`,
  )
  const limited = await (await post({ n: 2, max_tokens: 3, logprobs: true })).json()
  expect(limited.choices).toHaveLength(2)
  expect(limited.choices[1]).toMatchObject({
    finish_reason: 'length',
    logprobs: { content: expect.any(Array) },
  })
}

describePage(page, {
  skills,

  pace: async snippet => {
    const { asking } = await gatewayOf(snippet)
    const start = performance.now()
    expect(await asking({ stream: true })).toMatchObject({ text: '12 * 7 = 84' })
    // Half of firstTokenMs, as jitter may halve it, less what a timer may come early.
    expect(performance.now() - start).toBeGreaterThan(8)
  },

  script: async snippet => {
    const { post, asking } = await gatewayOf(snippet)
    expect(await asking()).toMatchObject({ text: 'Exactly this.' })
    const counted = await (await post({})).json()
    expect(counted.choices[0].message.content).toBe('In these pieces.')
    expect(counted.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 })
    const called = await (await post({})).json()
    expect(called.choices[0].message.tool_calls[0].function).toEqual({
      name: 'get_weather',
      arguments: '{"city":"Bern"}',
    })
    const refused = await asking()
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(refused.headers.get('retry-after')).toBe('2')
    await expect(asking({ stream: true })).rejects.toThrow(/no end mark.*This.* one.*bad_gateway/s)
    const beyond = await post({})
    expect(beyond.status).toBe(500)
    expect((await beyond.json()).error.message).toMatch(/has 5 answers, and this is call 6/)
  },

  faults: async snippet => {
    const { asking } = await gatewayOf(snippet)
    const statuses = []
    for (let call = 0; call < 30; call++) statuses.push((await asking()).status)
    expect(statuses).toEqual(Array(30).fill(200))
  },
})
