import { afterEach, describe, expect, it, vi } from 'vitest'
import { chatRequest } from '../../../../packages/console/ui/chat/chat-request.ts'

const options = { model: 'demo', system: '', temperature: '', maxTokens: '', callerKey: '' }

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
})
