import type { Target } from '@sluice/core/provider'
import { anthropic, azure, bedrock, gemini, openai, openaiCompatible, vertex } from '@sluice/providers'
import { type ErrorSample, type ProviderSamples, providerConformance } from '@sluice/testing/conformance'
import { describe, it } from 'vitest'
import { answersOf, framing } from './properties/answer-streams.ts'
import type { Wire } from './properties/wire.ts'
import { exceptionFrame } from './replay/event-frames.ts'
import type { Plan } from './stand-ins/plan.ts'

const secret = 'secret-of-the-gateway'
const signed = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret, sessionToken: `${secret}-session` },
}

const vendors: Readonly<Record<string, { target: Target; wire: Wire; more?: Partial<ProviderSamples> }>> = {
  openai: { target: openai({ apiKey: secret })('gpt-4o'), wire: 'chat' },
  'openai, reasoning': { target: openai({ apiKey: secret })('gpt-5-mini'), wire: 'responses' },
  'openai-compatible': {
    target: openaiCompatible({ name: 'acme', baseURL: 'https://llm.acme.example/v1', apiKey: secret })(
      'acme-1',
    ),
    wire: 'chat',
  },
  azure: {
    target: azure({ resource: 'ours', apiKey: secret, apiVersion: '2024-10-21' })('gpt-4o'),
    wire: 'chat',
  },
  anthropic: { target: anthropic({ apiKey: secret })('claude-sonnet-4-20250514'), wire: 'messages' },
  gemini: { target: gemini({ apiKey: secret })('gemini-2.5-flash'), wire: 'generate' },
  'vertex with gemini': {
    target: vertex({ project: 'ours', location: 'us-east5', token: secret })('gemini-2.5-pro'),
    wire: 'generate',
  },
  'vertex with claude': {
    target: vertex({ project: 'ours', location: 'us-east5', token: secret })('claude-sonnet-4-5@20250929'),
    wire: 'messages',
  },
  'bedrock by token': {
    target: bedrock({ region: 'us-east-1', bearerToken: secret })('us.amazon.nova-lite-v1:0'),
    wire: 'converse',
  },
  'bedrock, signed': {
    target: bedrock(signed)('us.anthropic.claude-sonnet-4-20250514-v1:0'),
    wire: 'converse',
    more: { timedHeaders: ['authorization', 'x-amz-date'] },
  },
}

const plan: Plan = {
  thinking: 'Let me think.',
  text: 'It rains – 雨 ☂️ – in Paris.',
  calls: [],
  end: 'done',
  stopSequence: undefined,
  usage: { prompt: 9, cached: 2, output: 7, thinking: 3 },
}
const calls: Plan = {
  ...plan,
  calls: [
    { name: 'weather', input: { city: 'Paris', days: [1, 2] } },
    { name: 'weather', input: { city: 'Oslo' } },
  ],
  end: 'calls',
}
const tools = ['weather'].map(name => ({ type: 'function' as const, function: { name } }))

/** The words of each vendor for a request that is at fault, and for one that comes too soon. */
const errorsOf: Readonly<Record<Wire, readonly ErrorSample[]>> = {
  chat: [
    errorOf(400, {
      message: `You said canary to llm.acme.example with ${secret}.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }),
    {
      ...errorOf(429, { message: 'Slow down, please.', type: 'requests', code: null }),
      headers: { 'retry-after': '2' },
    },
    {
      ...errorOf(200, { message: 'The server is overloaded.', code: 503 }),
      stream: true,
      body: 'data: {"error":{"message":"The server is overloaded.","code":503}}\n\n',
      expected: { status: 503 },
    },
  ],
  messages: [
    { status: 400, body: messagesError('invalid_request_error', `You said canary with ${secret}.`) },
    { status: 529, body: messagesError('overloaded_error', 'The service is overloaded.') },
    {
      status: 200,
      stream: true,
      body: `event: error\ndata: ${messagesError('overloaded_error', 'The service is overloaded.')}\n\n`,
      expected: { status: 529 },
    },
  ],
  responses: [
    errorOf(400, {
      message: `You said canary to llm.acme.example with ${secret}.`,
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    }),
    {
      ...errorOf(429, { message: 'Slow down, please.', type: 'requests', code: null }),
      headers: { 'retry-after': '2' },
    },
    {
      status: 200,
      stream: true,
      body: `event: response.failed\ndata: ${JSON.stringify({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: 'The server is broken.' } },
      })}\n\n`,
      expected: { status: 500 },
    },
  ],
  generate: [
    errorOf(400, { code: 400, status: 'INVALID_ARGUMENT', message: `You said canary with ${secret}.` }),
    errorOf(503, { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' }),
  ],
  converse: [
    {
      status: 400,
      headers: { 'x-amzn-errortype': 'ValidationException' },
      body: JSON.stringify({ message: `You said canary with ${secret}.` }),
    },
    {
      status: 200,
      stream: true,
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
      body: exceptionFrame('throttlingException', { message: 'Too many requests, slow down.' }),
      expected: { status: 429 },
    },
  ],
}

describe.each(Object.entries(vendors))('%s', (_, { target, wire, more }) => {
  const { type, frame } = framing[wire]
  const samples: ProviderSamples = {
    target,
    secrets: [secret],
    completions: [sampleOf(plan), sampleOf(calls)].map(({ answer, ...sample }) => ({
      ...sample,
      body: JSON.stringify(answer.whole),
    })),
    streams: [sampleOf(plan), sampleOf(calls)].map(({ answer, ...sample }) => ({
      ...sample,
      headers: { 'content-type': type },
      events: answer.events.map(frame),
      optionalEvents: answer.events.length - 1 - answer.end,
    })),
    errors: errorsOf[wire],
    ...more,
  }

  for (const { name, run } of providerConformance(samples)) it(name, run)

  function sampleOf(said: Plan) {
    const toolCalls = said.calls.map(({ name, input }) => ({ name, arguments: input }))
    return {
      answer: answersOf[wire](said),
      request: toolCalls.length > 0 ? { tools } : {},
      expected: {
        text: said.text,
        toolCalls,
        finishReason: said.end === 'calls' ? ('tool_calls' as const) : ('stop' as const),
      },
    }
  }
})

function errorOf(status: number, error: object): ErrorSample {
  return { status, body: JSON.stringify({ error }) }
}

function messagesError(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message } })
}
