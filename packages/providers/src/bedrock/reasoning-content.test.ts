import { describe, expect, it } from 'vitest'
import {
  adjusted,
  answered,
  called,
  encoded,
  gptOss,
  hi,
  messagesOf,
  tool,
  use,
} from '../../test/bedrock/scripted-request.ts'

describe('reasoning that comes back', () => {
  const signed = (text: string, signature: string, index = 0) => ({
    type: 'reasoning.text',
    text,
    signature,
    format: 'anthropic-claude-v1',
    index,
  })
  const encrypted = (data: string, format = 'anthropic-claude-v1') => ({
    type: 'reasoning.encrypted',
    data,
    format,
    index: 1,
  })
  const history = (details: unknown, further: object = {}) => [
    hi,
    { ...called('a'), reasoning_content: 'Hm.', reasoning_details: details, ...further },
    answered('a'),
  ]
  const contentOf = async (details: unknown, model?: string) => {
    const asked = { messages: history(details), tools: [tool('f')], reasoning_effort: 'low' as const }
    const { body } = await encoded(asked, model)
    return (body.messages as { content: unknown[] }[])[1]?.content
  }
  const anthropicData = btoa('\u0012 protobuf \u00ff')

  it('stands before the call, as the vendor gave it', async () => {
    expect(await contentOf([signed('Hm.', 'c2ln'), encrypted(btoa(anthropicData))])).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: btoa(anthropicData) } },
      use('a'),
    ])
  })

  it('is encoded once more where Anthropic itself gave it', async () => {
    expect(await contentOf([signed('Hm.', 's'), encrypted(anthropicData)])).toMatchObject([
      {},
      { reasoningContent: { redactedContent: btoa(anthropicData) } },
      {},
    ])
  })

  it('goes as it came to other models that encrypt theirs', async () => {
    expect(await contentOf([encrypted('cnNuXw==', 'amazon-bedrock-v1')], gptOss)).toEqual([
      { reasoningContent: { redactedContent: 'cnNuXw==' } },
      use('a'),
    ])
  })

  it.each<[string, unknown, string, string[]]>([
    [
      'another vendor’s',
      [{ ...signed('Hm.', 's'), format: 'google-gemini-v1' }],
      gptOss,
      ['messages[1].reasoning_details dropped'],
    ],
    [
      'without a signature',
      [{ type: 'reasoning.text', text: 'Hm.', index: 0 }],
      gptOss,
      ['messages[1].reasoning_details dropped'],
    ],
    ['text alone', undefined, gptOss, ['messages[1].reasoning_content dropped']],
  ])('is left out, and told of: %s', async (_, details, model, expected) => {
    const asked = { messages: history(details), tools: [tool('f')] }
    expect(await adjusted(asked, model)).toEqual(expected)
    expect(await messagesOf(asked.messages, model)).toMatchObject([{}, { content: [use('a')] }, {}])
  })

  it('is left out where the model binds it to the system text, and that moved before it', async () => {
    const bound = 'global.anthropic.claude-sonnet-5-5'
    const said = { role: 'assistant', content: 'So.', reasoning_details: [signed('Hm.', 's')] }
    const messages = [hi, said, hi, { role: 'system', content: 'S' }, hi]
    expect(await adjusted({ messages, reasoning_effort: 'low' }, bound)).toContain(
      'messages[1].reasoning_details dropped',
    )
    expect(await adjusted({ messages, reasoning_effort: 'low' })).not.toContain(
      'messages[1].reasoning_details dropped',
    )
  })

  it('is left out where the model cannot think at all', async () => {
    const ending = [hi, { role: 'assistant', content: 'So.', reasoning_details: [signed('Hm.', 's')] }, hi]
    const model = 'anthropic.claude-3-haiku-20240307-v1:0'
    expect(await messagesOf(ending, model)).toMatchObject([{}, { content: [{ text: 'So.' }] }, {}])
    expect(await adjusted({ messages: ending }, model)).toEqual(['messages[1].reasoning_details dropped'])
    expect(await messagesOf(ending)).toMatchObject([{}, { content: [{ reasoningContent: {} }, {}] }, {}])
  })

  it('is left out where Claude does not think in the round that goes on, and where nothing follows it', async () => {
    const messages = history([signed('Hm.', 's')])
    expect(await adjusted({ messages, tools: [tool('f')] })).toEqual([
      'messages[1].reasoning_details dropped',
    ])
    const ending = [hi, { role: 'assistant', content: '', reasoning_details: [signed('Hm.', 's')] }, hi]
    expect(await adjusted({ messages: ending, reasoning_effort: 'low' })).toEqual([
      'reasoning_effort mapped',
      'max_tokens defaulted',
      'messages[1].reasoning_details dropped',
    ])
  })
})
