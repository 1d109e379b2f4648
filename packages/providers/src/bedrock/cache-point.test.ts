import { describe, expect, it } from 'vitest'
import {
  type Asked,
  adjusted,
  answered,
  called,
  encoded,
  llama,
  messagesOf,
  nova,
  result,
  spec,
  tool,
  use,
} from '../../test/bedrock/scripted-request.ts'

describe('cache_control', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const point = { cachePoint: { type: 'default' } }
  const asked: Asked = {
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'S', ...hour },
          { type: 'text', text: 'T' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A', ...mark },
          { type: 'text', text: 'B' },
        ],
      },
      { ...called('a'), ...mark },
      { ...answered('a'), ...mark },
      { role: 'user', content: 'C', ...mark },
    ],
    tools: [{ ...tool('f'), ...mark } as ReturnType<typeof tool>, tool('g')],
  }

  it('is a point after what it marks', async () => {
    const { body, adjustments } = await encoded(asked)
    expect(body).toEqual({
      system: [{ text: 'S' }, { cachePoint: { type: 'default', ttl: '1h' } }, { text: 'T' }],
      messages: [
        { role: 'user', content: [{ text: 'A' }, point, { text: 'B' }] },
        { role: 'assistant', content: [use('a'), point] },
        { role: 'user', content: [result('a', 'done'), point, { text: 'C' }, point] },
      ],
      toolConfig: { tools: [spec('f'), point, spec('g')] },
    })
    expect(adjustments).toEqual([])
  })

  it('is for the usual time only where the model is no Claude, which is told', async () => {
    const messages = [{ role: 'user', content: 'A', cache_control: { type: 'ephemeral', ttl: '1h' } }]
    const { body, adjustments } = await encoded({ messages }, nova)
    expect(body.messages).toEqual([{ role: 'user', content: [{ text: 'A' }, point] }])
    expect(adjustments).toMatchObject([{ parameter: 'messages[0].cache_control.ttl', action: 'dropped' }])
    const short = [{ role: 'user', content: 'A', cache_control: { type: 'ephemeral', ttl: '5m' } }]
    expect(await encoded({ messages: short }, nova)).toMatchObject({ body, adjustments: [] })
  })

  it('stands on what is said, where the end of a message is blank', async () => {
    const blank = { type: 'text', text: ' ' }
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'A' }, blank], ...mark },
      { ...called('a'), content: '\n', ...mark },
      answered('a'),
    ]
    expect(await messagesOf(messages)).toMatchObject([
      { content: [{ text: 'A' }, point] },
      { content: [use('a'), point] },
      { content: [result('a', 'done')] },
    ])
  })

  it('stands after a PDF, but after no other document', async () => {
    const marked = (type: string) => ({
      role: 'user',
      content: [
        { type: 'text', text: 'A' },
        { type: 'file', file: { file_data: `data:${type};base64,QUJD` }, ...mark },
      ],
    })
    expect(await messagesOf([marked('application/pdf')])).toMatchObject([{ content: [{}, {}, point] }])
    expect(await messagesOf([marked('text/csv')])).toMatchObject([
      { content: [{ text: 'A' }, { document: {} }] },
    ])
    expect(await adjusted({ messages: [marked('text/csv')] })).toEqual([
      'messages[0].content[1].cache_control dropped',
    ])
    const file = { type: 'file', file: { file_data: 'data:text/csv;base64,QUJD' } }
    const message = { role: 'user', content: [{ type: 'text', text: 'A' }, file], ...mark }
    expect(await adjusted({ messages: [message] })).toEqual(['messages[0].cache_control dropped'])
  })

  it('is left out where the model has no cache, and told of', async () => {
    expect(await adjusted(asked, nova)).toEqual([
      'messages[0].content[0].cache_control.ttl dropped',
      'tools[0].cache_control dropped',
    ])
    expect(JSON.stringify((await encoded(asked, nova)).body.toolConfig)).not.toContain('cachePoint')
    expect(await adjusted(asked, llama)).toEqual([
      'messages[0].content[0].cache_control dropped',
      'messages[1].content[0].cache_control dropped',
      'messages[2].cache_control dropped',
      'messages[3].cache_control dropped',
      'messages[4].cache_control dropped',
      'tools[0].cache_control dropped',
    ])
    expect(JSON.stringify((await encoded(asked, llama)).body)).not.toContain('cachePoint')
  })
})
