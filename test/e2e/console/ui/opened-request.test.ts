import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
        maxTokens: '5',
      },
      turns: [
        { role: 'user', text: 'One', state: 'complete' },
        { role: 'assistant', text: 'Two', state: 'complete' },
      ],
      draft: 'Three',
      omitted: [],
    })
  })

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
    const { omitted, draft, turns } = open('/v1/chat/completions', {
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] },
        { role: 'tool', content: '4', tool_call_id: 'a' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'x' } },
          ],
        },
      ],
      tools: [],
      seed: 1,
    })!
    expect(omitted).toEqual(['images, files and calls', 'tools', 'seed'])
    expect([draft, turns.length]).toEqual(['Look', 1])
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
