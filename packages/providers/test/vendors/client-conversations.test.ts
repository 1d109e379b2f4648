import { anthropic, bedrock, gemini, openaiCompatible } from '@sluice/providers'
import { sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { type At, exchanged } from '../exchanged.ts'

// Conversations as clients send them, with what a model got wrong in them, or a client.

const chat: At = baseURL => openaiCompatible({ name: 'acme', baseURL })('m')
const vendors: Readonly<Record<string, At>> = {
  anthropic: baseURL => anthropic({ apiKey: 'sk-test', baseURL })('claude-sonnet-4-5'),
  bedrock: baseURL => bedrock({ region: 'us-east-1', bearerToken: 't', baseURL })('us.amazon.nova-lite-v1:0'),
  gemini: baseURL => gemini({ apiKey: 'sk-test', baseURL })('gemini-2.5-flash'),
}

async function forwarded(at: At, path: string, body: object) {
  const { sent, answer, adjustments } = await exchanged(at, path, body)
  expect(sent, answer).toHaveLength(1)
  return { sent: sent[0]!, adjustments }
}

async function refused(at: At, path: string, body: object) {
  const { sent, answer } = await exchanged(at, path, body)
  expect(sent).toEqual([])
  return (JSON.parse(answer) as { error: object }).error
}

const chatWith = (text: string) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'Not valid.' },
  ],
})
const responsesWith = (text: string) => ({
  input: [
    { role: 'user', content: 'Hi' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: text },
    { type: 'function_call_output', call_id: 'c', output: 'Not valid.' },
  ],
})

describe.each(Object.entries(vendors))('arguments of a call that %s takes as an object', (_, at) => {
  it.each(['{"a":', 'a', '[1]', 'null'])('are none where they are no JSON object: %s', async text => {
    const none = /"(?:input|args)":\{\}/
    const ofChat = await forwarded(at, '/v1/chat/completions', chatWith(text))
    expect(ofChat.sent).toMatch(none)
    expect(ofChat.adjustments).toContain('messages[1].tool_calls[0].function.arguments')
    const ofResponses = await forwarded(at, '/v1/responses', responsesWith(text))
    expect(ofResponses.sent).toMatch(none)
    expect(ofResponses.adjustments).toContain('input[1].arguments')
  })

  it('have U+FFFD for half of a surrogate pair', async () => {
    const text = String.raw`{"a":"\ud83d \ud83d\ude00 \\ud83d \ude00"}`
    const { sent, adjustments } = await forwarded(at, '/v1/chat/completions', chatWith(text))
    expect(sent).toContain(String.raw`{"a":"${'\ufffd'} ${'\ud83d\ude00'} \\ud83d ${'\ufffd'}"}`)
    expect(adjustments).toContain('messages[1].tool_calls[0].function.arguments')
  })
})

describe('an input without a user', () => {
  it.each(Object.entries({ chat, ...vendors }))(
    'is refused by its name where it is empty: %s',
    async (_, at) => {
      for (const [input, kind] of [
        ['', 'string'],
        [[], 'array'],
      ]) {
        expect(await refused(at, '/v1/responses', { input })).toEqual({
          message: `Invalid 'input': empty ${kind}. Expected the words of a user, or items.`,
          type: 'invalid_request_error',
          param: 'input',
          code: `empty_${kind}`,
        })
      }
    },
  )

  it('goes to servers of chat completions where there are instructions', async () => {
    const { sent } = await forwarded(chat, '/v1/responses', { input: [], instructions: 'Be kind.' })
    expect(JSON.parse(sent)).toMatchObject({ messages: [{ role: 'system', content: 'Be kind.' }] })
  })

  it.each(Object.entries({ anthropic: vendors.anthropic!, bedrock: vendors.bedrock! }))(
    'is refused by its name where all of it is system text: %s',
    async (_, at) => {
      expect(await refused(at, '/v1/responses', { input: [], instructions: 'Be kind.' })).toMatchObject({
        message: "Unsupported value: 'input' holds no words of the user, which this model needs.",
        param: 'input',
      })
    },
  )
})

describe('an output that does not follow its call', () => {
  const user = (content: string) => ({ role: 'user', content })
  const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })
  const output = (call_id: string, text: string) => ({ type: 'function_call_output', call_id, output: text })
  const input = [
    user('Hi'),
    call('a'),
    call('b'),
    output('b', 'two'),
    user('Wait.'),
    { role: 'assistant', content: 'Yes?' },
    output('a', 'one'),
    user('Go on.'),
  ]

  it('goes to servers of chat completions behind it, all else in order', async () => {
    const { sent, adjustments } = await forwarded(chat, '/v1/responses', { input })
    expect((JSON.parse(sent) as { messages: object[] }).messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'user', content: 'Wait.' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Go on.' },
    ])
    expect(adjustments).toContain('"input[6]";action=mapped')
    expect(adjustments).not.toContain('input[3]')
  })

  it.each(Object.entries(vendors))('goes to %s behind it', async (_, at) => {
    const { sent, adjustments } = await forwarded(at, '/v1/responses', { input })
    const places = ['one', 'Wait.', 'Yes?', 'Go on.'].map(text => sent.indexOf(text))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(adjustments).toContain('"input[6]";action=mapped')
  })
})

describe('half of a surrogate pair in an answer', () => {
  const [high, low] = ['\ud83d', '\ude00']
  const called = (text: string) => [
    { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: text } },
  ]
  const more = (text: string) => [{ index: 0, function: { arguments: text } }]
  const choice = { index: 0, finish_reason: 'tool_calls' }
  const requests = [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }],
  ] as const

  it.each(requests)('is U+FFFD, so that a client can send it back: %s', async (path, body) => {
    const text = `a${high}b${low}`
    const message = {
      role: 'assistant',
      content: text,
      reasoning_content: `r${text}`,
      tool_calls: called(`{"x":"${text}"}`),
    }
    const { answer } = await exchanged(chat, path, body, steps.reply({ choices: [{ ...choice, message }] }))
    expect(answer).not.toMatch(/\\ud83d|\\ude00/)
    const repaired = JSON.stringify(JSON.parse(answer)).replaceAll('\\"', '"')
    for (const shown of ['"a\ufffdb\ufffd"', '"ra\ufffdb\ufffd"', '"x":"a\ufffdb\ufffd"']) {
      expect(repaired).toContain(shown)
    }
  })

  it.each(requests)('is joined with its other half in a stream, or U+FFFD: %s', async (path, body) => {
    const deltas = [
      { reasoning_content: `r${high}` },
      { reasoning_content: `${low}.` },
      { content: `a${high}` },
      { content: `${low}b${high}` },
      { content: 'c' },
      { tool_calls: called('{"x":"') },
      { tool_calls: more(high) },
      { tool_calls: more(`${low}${high}`) },
      { tool_calls: more('"}') },
    ]
    const chunks = deltas.map(delta => ({ choices: [{ index: 0, delta }] }))
    const script = steps.stream(sse([...chunks, { choices: [{ ...choice, delta: {} }] }]))
    const { answer } = await exchanged(chat, path, { ...body, stream: true }, script)
    expect(answer).not.toMatch(/\\ud83d|\\ude00/)
    for (const shown of [
      '"\ud83d\ude00."',
      '"\ud83d\ude00b"',
      '"\ufffdc"',
      '"\ud83d\ude00"',
      '"\ufffd\\"}"',
    ]) {
      expect(answer).toContain(shown)
    }
  })

  it('is U+FFFD at the end of a stream, too', async () => {
    const chunks = [
      { choices: [{ index: 0, delta: { content: `a${high}` } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]
    for (const [path, body] of requests) {
      const { answer } = await exchanged(chat, path, { ...body, stream: true }, steps.stream(sse(chunks)))
      expect(answer).toContain('"\ufffd"')
      expect(answer).not.toContain('\\ud83d')
    }
  })
})
