import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDialects } from '../../../../packages/console/ui/chat/chat-dialects.ts'
import type { ChatOptions, Turn } from '../../../../packages/console/ui/chat/chat-types.ts'
import { openedRequest } from '../../../../packages/console/ui/chat/opened-request.ts'

const open = (path: string, body: object) => openedRequest(path, 'stored', JSON.stringify(body))

describe('a stored request in the chat', () => {
  it('is read from chat completions: the last message of the user is the draft', () => {
    expect(
      open('/v1/chat/completions', {
        model: 'demo',
        temperature: 0,
        max_completion_tokens: 5,
        stream: true,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'developer', content: [{ type: 'text', text: 'In English.' }] },
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
          { role: 'user', content: [{ type: 'text', text: 'Three' }] },
        ],
      }),
    ).toEqual({
      options: {
        dialect: 'chat',
        model: 'demo',
        system: 'Be brief.\n\nIn English.',
        temperature: '0',
        topP: '',
        maxTokens: '5',
        stop: '',
        seed: '',
        effort: '',
        tools: [],
      },
      turns: [
        { role: 'user', text: 'One', state: 'complete' },
        { role: 'assistant', text: 'Two', state: 'complete' },
      ],
      draft: 'Three',
      images: [],
      omitted: [],
    })
  })

  const image = { name: 'Image 1', type: 'image/gif', bytes: 4, data: 'R0lGOA==' }
  const parameters = JSON.stringify({ type: 'object', properties: { zone: { type: 'string' } } }, null, 2)
  const call = { id: 'call_1', name: 'now', arguments: '{"zone":"UTC"}' }
  const turns: readonly Turn[] = [
    { role: 'user', text: 'What time is it?', state: 'complete', images: [image] },
    { role: 'assistant', text: 'I look.', state: 'complete', calls: [call] },
    { role: 'tool', text: 'Noon', state: 'complete', resultOf: { id: 'call_1', name: 'now' } },
    { role: 'assistant', text: 'Noon.', state: 'complete' },
  ]
  it.each(Object.entries(chatDialects))(
    'is what the chat has sent with all it can hold, in %s',
    (dialect, { path, body, lacks }) => {
      const options: ChatOptions = {
        dialect: dialect as ChatOptions['dialect'],
        model: 'demo',
        system: 'Be brief.',
        temperature: '0.5',
        topP: '0.9',
        maxTokens: '64',
        stop: lacks.includes('stop') ? '' : 'END\nSTOP',
        seed: lacks.includes('seed') ? '' : '7',
        effort: 'high',
        tools: [{ name: 'now', description: 'The time.', parameters }],
        callerKey: '',
      }
      const last: Turn = { role: 'user', text: 'And here?', state: 'complete', images: [image] }
      const { callerKey: _, ...expected } = options
      expect(open(`/v1${path}`, body(options, [...turns, last]))).toEqual({
        options: expected,
        turns,
        draft: 'And here?',
        images: [image],
        omitted: [],
      })
    },
  )

  it('is read from the Messages API and the Responses API', () => {
    expect(
      open('/llm/messages', {
        model: 'demo',
        max_tokens: 9,
        system: [{ type: 'text', text: 'Brief.' }],
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    ).toMatchObject({
      options: { dialect: 'messages', system: 'Brief.', maxTokens: '9' },
      turns: [],
      draft: 'Hi',
    })
    expect(
      open('/v1/responses', { model: 'demo', instructions: 'Brief.', input: 'Hi', max_output_tokens: 9 }),
    ).toMatchObject({
      options: { dialect: 'responses', system: 'Brief.', maxTokens: '9' },
      turns: [],
      draft: 'Hi',
    })
  })

  it('names what the chat cannot show', () => {
    const { omitted, draft, turns, images, options } = open('/v1/chat/completions', {
      messages: [
        { role: 'function', content: '4' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'https://example.org/i.png' } },
            { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2Zz4=' } },
            { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
          ],
        },
      ],
      tools: [
        { type: 'custom', custom: { name: 'free' } },
        { type: 'function', function: { name: 'now', strict: true } },
      ],
      tool_choice: 'none',
      reasoning_effort: 'unheard of',
      stop: ['a\nb'],
      seed: null,
      logit_bias: {},
    })!
    expect(omitted).toEqual([
      'messages of other roles',
      'images by URL',
      'files and other parts of messages',
      'tools other than functions',
      'strict schemas of tools',
      'tool_choice',
      'reasoning_effort',
      'stop',
      'logit_bias',
    ])
    expect([draft, turns, images, options.tools.map(({ name }) => name)]).toEqual(['Look', [], [], ['now']])
    const seen = { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'R0lGOA==' } }
    expect(
      open('/v1/messages', {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'see', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: [seen], is_error: true }],
          },
          { role: 'user', content: [{ type: 'text', text: 'Go on', cache_control: { type: 'ephemeral' } }] },
        ],
      }),
    ).toMatchObject({
      turns: [{ calls: [{ name: 'see' }] }, { role: 'tool', resultOf: { id: 'a', name: 'see' } }],
      draft: 'Go on',
      omitted: ['is_error', 'images of other messages than the user’s', 'cache_control'],
    })
    const thinking = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi' },
    ]
    expect(
      open('/v1/messages', {
        thinking: { type: 'adaptive' },
        messages: [{ role: 'assistant', content: thinking }],
      }),
    ).toMatchObject({ turns: [{ text: 'Hi' }], omitted: ['reasoning', 'thinking'] })
    expect(
      open('/v1/responses', {
        input: [{ type: 'reasoning' }, { type: 'item_reference' }],
        reasoning: { effort: 'low', summary: 'auto' },
      }),
    ).toMatchObject({
      options: { effort: '' },
      omitted: ['reasoning', 'other items of the input'],
    })
  })

  it('is none of another endpoint, or what is no JSON', () => {
    expect(open('/v1/embeddings', { input: 'Hi' })).toBeUndefined()
    expect(openedRequest('/v1/messages', 'm', '{')).toBeUndefined()
    expect(openedRequest('/v1/messages', 'm', '[]')).toBeUndefined()
  })

  it('is read whatever callers have sent', () => {
    fc.assert(
      fc.property(fc.constantFrom('messages', 'input'), fc.jsonValue(), (name, value) => {
        for (const path of ['/chat/completions', '/messages', '/responses']) {
          expect(typeof open(path, { [name]: value })?.draft).toBe('string')
        }
      }),
    )
  })
})
