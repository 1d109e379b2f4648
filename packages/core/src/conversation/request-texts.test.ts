import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../protocol/chat.ts'
import { requestTexts } from './request-texts.ts'

const found = (body: JsonObject) =>
  requestTexts(body).map(({ path, text, role }) => `${path.join('.')} ${role ?? '-'}: ${text}`)

describe('the texts of a request', () => {
  it('are those of a chat completion', () => {
    expect(
      found({
        model: 'm',
        user: 'ann',
        messages: [
          { role: 'system', content: 'a' },
          {
            role: 'user',
            name: 'ann',
            content: [
              { type: 'text', text: 'b' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
            ],
          },
          {
            role: 'assistant',
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"c":1}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'd' },
        ],
        tools: [
          {
            type: 'function',
            function: {
              name: 'f',
              description: 'e',
              parameters: {
                type: 'object',
                properties: { name: { type: 'string', description: 'f' } },
                required: ['name'],
              },
            },
          },
        ],
      }),
    ).toEqual([
      'messages.0.content system: a',
      'messages.1.content.0.text user: b',
      'messages.2.tool_calls.0.function.arguments assistant: {"c":1}',
      'messages.3.content tool: d',
      'tools.0.function.description -: e',
      'tools.0.function.parameters.properties.name.description -: f',
    ])
  })

  it('are those of the Messages API: inputs of tools and documents too, signed reasoning not', () => {
    expect(
      found({
        model: 'm',
        system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
        metadata: { user_id: 'ann' },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'b' } },
              { type: 'image', source: { type: 'base64', data: 'AAAA' } },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'c', signature: 's' },
              { type: 'tool_use', id: 't', name: 'f', input: { id: 'd', to: ['e'] } },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'f' }] },
        ],
      }),
    ).toEqual([
      'system.0.text system: a',
      'messages.0.content.0.source.data user: b',
      'messages.1.content.1.input.id assistant: d',
      'messages.1.content.1.input.to.0 assistant: e',
      'messages.2.content.0.content tool: f',
    ])
  })

  it('are those of the Responses API and of embeddings', () => {
    expect(
      found({
        model: 'm',
        instructions: 'a',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'b' }] },
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'd' },
        ],
      }),
    ).toEqual([
      'instructions system: a',
      'input.0.content.0.text user: b',
      'input.2.arguments user: {}',
      'input.3.output tool: d',
    ])
    expect(found({ model: 'm', input: ['a', 'b'], encoding_format: 'float' })).toEqual([
      'input.0 user: a',
      'input.1 user: b',
      'encoding_format -: float',
    ])
  })

  it('cannot be hidden behind a signature, in members that are not known, or by a name of every object', () => {
    expect(
      found({ model: 'm', messages: [{ type: 'text', text: 'a', signature: 's' }], odd: { inner: 'b' } }),
    ).toEqual(['messages.0.text -: a', 'odd.inner -: b'])
    expect(found(JSON.parse('{"model":"m","__proto__":{"x":"a"},"constructor":"b"}'))).toEqual([
      '__proto__.x -: a',
      'constructor -: b',
    ])
  })
})
