import { afterEach, describe, expect, it, vi } from 'vitest'
import { endpointUrl, gatewayUrl } from '../../../../packages/console/ui/server/gateway-url.ts'

describe('the URL of the gateway, seen from the page', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it.each([
    ['http://a.test/console/', '/v1', '/v1/messages', 'http://a.test/v1'],
    ['https://a.test/api/ai/console/', '/v1', '/v1/chat/completions', 'https://a.test/api/ai/v1'],
    ['http://a.test/api/v1/console/', '', '/v1/chat/completions', 'http://a.test/api/v1'],
    ['http://a.test/llm/v1/console/', '', '/llm/v1/responses', 'http://a.test/llm/v1'],
    ['http://a.test/console/#/log', '/llm', '/llm/messages', 'http://a.test/llm'],
  ])('of %s with the base path "%s"', (baseURI, base, path, url) => {
    vi.stubGlobal('document', { baseURI })
    expect(gatewayUrl({ base })).toBe(url)
    expect(endpointUrl({ base }, path)).toBe(
      `${url}${path.slice(path.search(/\/(?:messages|chat|responses)/))}`,
    )
  })
})
