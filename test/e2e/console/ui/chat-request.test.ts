import { afterEach, describe, expect, it, vi } from 'vitest'
import { chatRequest } from '../../../../packages/console/ui/chat/chat-request.ts'

const options = {
  dialect: 'chat' as const,
  model: 'demo',
  system: '',
  temperature: '',
  maxTokens: '',
  topP: '',
  stop: '',
  seed: '',
  effort: '',
  tools: [],
  callerKey: '',
}

describe('chatRequest', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it.each([
    ['https://sluice.test/console/', '/v1', 'https://sluice.test/v1/chat/completions'],
    ['https://sluice.test/api/ai/console/?', '/v1', 'https://sluice.test/api/ai/v1/chat/completions'],
    ['https://sluice.test/llm/v1/console/', '', 'https://sluice.test/llm/v1/chat/completions'],
    ['https://sluice.test/ai/console/', '/own/base', 'https://sluice.test/ai/own/base/chat/completions'],
  ])('goes from the page %s with the base "%s" to %s', (baseURI, base, url) => {
    vi.stubGlobal('document', { baseURI })
    const asAnn = { ...options, callerKey: ' sk-ann ' }
    expect(chatRequest({ base }, asAnn, [], 'the-admin-key')).toMatchObject({
      url,
      as: 'caller',
      key: 'sk-ann',
    })
    expect(chatRequest({ base }, options, [], 'the-admin-key')).toMatchObject({
      url: new URL('api/chat', baseURI).href,
      as: 'console',
      key: 'the-admin-key',
    })
  })

  it('goes to the endpoint of its dialect, with what that requires', () => {
    vi.stubGlobal('document', { baseURI: 'https://sluice.test/console/' })
    const turns = [
      { role: 'user', text: 'Hi', state: 'complete' },
      { role: 'assistant', text: '', state: 'failed' },
      { role: 'user', text: 'Hello?', state: 'complete' },
    ] as const
    const said = { ...options, dialect: 'messages' as const, system: ' Be brief. ', temperature: '0.5' }
    const request = chatRequest({ base: '/v1' }, said, turns, 'the-admin-key')
    expect(request.url).toBe('https://sluice.test/console/api/messages')
    expect(JSON.parse(request.body)).toEqual({
      model: 'demo',
      max_tokens: 4_096,
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 'Hello?' },
      ],
      temperature: 0.5,
      stream: true,
    })
    const asAnn = chatRequest({ base: '/v1' }, { ...said, maxTokens: '7', callerKey: 'sk-ann' }, [], 'a')
    expect(asAnn.url).toBe('https://sluice.test/v1/messages')
    expect(JSON.parse(asAnn.body)).toMatchObject({ max_tokens: 7 })
  })
})
