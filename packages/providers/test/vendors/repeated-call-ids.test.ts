import { anthropic, bedrock, gemini, openai } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { type At, exchanged } from '../exchanged.ts'

// Some clients number the tool calls of each answer from the start: then several calls of a conversation have one id.

/** A call or a result as the vendor gets it: with its id, if the vendor has ids. */
interface Sent {
  readonly id: string
  readonly call?: string
  readonly result?: string
}

interface Body {
  readonly messages: readonly { readonly content: readonly (ClaudeBlock & ConverseBlock)[] | string }[]
  readonly contents: readonly { readonly parts: readonly GeminiPart[] }[]
  readonly input: readonly { type: string; call_id: string; name: string; output: string }[]
}
interface ClaudeBlock {
  readonly type: string
  readonly id: string
  readonly name: string
  readonly tool_use_id: string
  readonly content: string
}
interface ConverseBlock {
  readonly toolUse?: { readonly toolUseId: string; readonly name: string }
  readonly toolResult?: { readonly toolUseId: string; readonly content: readonly [{ readonly text: string }] }
}
interface GeminiPart {
  readonly functionCall?: { readonly id: string; readonly name: string }
  readonly functionResponse?: {
    readonly id: string
    readonly name: string
    readonly response: { readonly result: string }
  }
}

interface Vendor {
  readonly at: At
  readonly sent: (body: Body) => readonly Sent[]
}

const blocks = ({ messages }: Body) =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))

const vendors: Readonly<Record<string, Vendor>> = {
  anthropic: {
    at: baseURL => anthropic({ apiKey: 'sk-test', baseURL })('claude-sonnet-4-5'),
    sent: body =>
      blocks(body).flatMap(({ type, id, name, tool_use_id, content }) => {
        if (type === 'tool_use') return { id, call: name }
        return type === 'tool_result' ? { id: tool_use_id, result: content } : []
      }),
  },
  bedrock: {
    at: baseURL => bedrock({ region: 'us-east-1', bearerToken: 't', baseURL })('us.amazon.nova-lite-v1:0'),
    sent: body =>
      blocks(body).flatMap(({ toolUse, toolResult }) => {
        if (toolUse) return { id: toolUse.toolUseId, call: toolUse.name }
        return toolResult ? { id: toolResult.toolUseId, result: toolResult.content[0].text } : []
      }),
  },
  'openai, by the Responses API': {
    at: baseURL => openai({ apiKey: 'sk-test', baseURL, reasoningApi: 'responses' })('gpt-5'),
    sent: ({ input }) =>
      input.flatMap(({ type, call_id, name, output }) => {
        if (type === 'function_call') return { id: call_id, call: name }
        return type === 'function_call_output' ? { id: call_id, result: output } : []
      }),
  },
  'gemini 3': {
    at: baseURL => gemini({ apiKey: 'sk-test', baseURL })('gemini-3-pro-preview'),
    sent: ({ contents }) =>
      contents
        .flatMap(({ parts }) => parts)
        .flatMap(({ functionCall, functionResponse }) => {
          if (functionCall) return { id: functionCall.id, call: functionCall.name }
          return functionResponse ? { id: functionResponse.id, result: functionResponse.response.result } : []
        }),
  },
  // Without ids: each result has the name of its call.
  'gemini 2.5': {
    at: baseURL => gemini({ apiKey: 'sk-test', baseURL })('gemini-2.5-flash'),
    sent: ({ contents }) =>
      contents
        .flatMap(({ parts }) => parts)
        .flatMap(({ functionCall, functionResponse }) => {
          if (functionCall) return { id: functionCall.name, call: functionCall.name }
          return functionResponse
            ? { id: functionResponse.name, result: functionResponse.response.result }
            : []
        }),
  },
}

/** Sends a conversation through a gateway, and returns the body that the vendor gets. */
async function forwarded(at: At, messages: readonly object[]): Promise<Body> {
  const { sent, answer } = await exchanged(at, '/v1/chat/completions', { messages })
  expect(sent.length, answer).toBe(1)
  return JSON.parse(sent[0]!) as Body
}

/** The name of the call that each result answers. */
function answeredNames(sent: readonly Sent[]) {
  const calls = sent.filter(({ call }) => call !== undefined)
  expect(new Set(calls.map(({ id }) => id)).size, 'ids of calls differ').toBe(calls.length)
  return sent.flatMap(({ id, result }) =>
    result === undefined ? [] : [[result, calls.find(call => call.id === id)?.call] as const],
  )
}

const user = (content: string) => ({ role: 'user', content })
const calls = (...names: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: names.map(name => ({ id: 'call_0', type: 'function', function: { name, arguments: '{}' } })),
})
const result = (content: string) => ({ role: 'tool', tool_call_id: 'call_0', content })

describe.each(Object.entries(vendors))('calls with one id, sent to %s', (name, { at, sent }) => {
  it('of two answers each have the result that follows them', async () => {
    const messages = [user('Hi'), calls('weather'), result('sun'), calls('time'), result('noon')]
    const body = await forwarded(at, messages)
    expect(answeredNames(sent(body))).toEqual([
      ['sun', 'weather'],
      ['noon', 'time'],
    ])
  })

  it.each([
    ['one message', [calls('weather', 'time')]],
    ['two messages without a result between', [calls('weather'), calls('time')]],
  ])('of %s have their results in order', async (_, called) => {
    const body = await forwarded(at, [user('Hi'), ...called, result('sun'), result('noon')])
    expect(answeredNames(sent(body))).toEqual([
      ['sun', 'weather'],
      ['noon', 'time'],
    ])
  })

  // Vendors that refuse a call without a result do not get this.
  it.skipIf(name === 'anthropic' || name === 'bedrock')(
    'of which the first has no result leave it to the nearest',
    async () => {
      const messages = [user('Hi'), calls('weather'), user('Go on'), calls('time'), result('noon')]
      const body = await forwarded(at, messages)
      expect(answeredNames(sent(body))).toEqual([['noon', 'time']])
    },
  )
})
