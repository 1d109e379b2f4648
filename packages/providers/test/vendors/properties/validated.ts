import { createGateway, GatewayError } from '@sluice/core'
import type { ChatRequest, Provider } from '@sluice/core/provider'

/**
 * What the gateway makes of a request's body before a provider sees it; `undefined` where it refuses.
 */
export async function validated(body: object): Promise<ChatRequest | undefined> {
  let input: ChatRequest | undefined
  const provider: Provider = {
    name: 'looking',
    encode: call => {
      input = call.input
      throw new GatewayError('invalid_request')
    },
    decode: () => ({ kind: 'completion', completion: { choices: [] } }),
  }
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: () => [{ provider, model: 'm' }],
  })
  const request = new Request('http://gateway.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await (await gateway.fetch(request)).text()
  return input
}
