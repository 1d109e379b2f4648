import { createGateway, type EndEvent, models, type Target } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { bedrock } from '../../src/bedrock.ts'
import { cohere } from '../../src/cohere.ts'
import { gemini } from '../../src/gemini.ts'
import { mistral } from '../../src/presets.ts'

const targets: readonly Target[] = [
  gemini({ apiKey: 'key' })('gemini-2.5-flash'),
  bedrock({ region: 'us-east-1', bearerToken: 't' })('amazon.nova-pro-v1:0'),
  cohere({ apiKey: 'key' })('command-a-03-2025'),
  mistral({ apiKey: 'key' })('mistral-large-latest'),
]

/** Returns the names of what was adjusted for a target that does not respond. */
async function adjustedOf(target: Target, path: string, body: object): Promise<readonly string[]> {
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: target }),
    unsupportedParameters: 'drop',
    retry: false,
    transport: () => Promise.reject(new Error('No connection.')),
    observe: event => {
      if (event.type === 'end') ends.push(event)
    },
  })
  const response = await gateway.fetch(`http://sluice.test/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', ...body }),
  })
  expect(response.status).toBe(502)
  return ends[0]!.adjustments.map(({ parameter }) => parameter)
}

describe.each(targets.map(target => [target.provider.name, target] as const))('%s', (_, target) => {
  it('reports one parameter of the caller once, where it is two of a chat request', async () => {
    const messages = [{ role: 'user', content: 'Hi' }]
    const session = 'user_1_account_2_session_3'
    expect(
      await adjustedOf(target, 'messages', { max_tokens: 9, messages, metadata: { user_id: session } }),
    ).toEqual(['metadata.user_id'])
    const logprobs = { top_logprobs: 2, include: ['message.output_text.logprobs'] }
    const adjusted = await adjustedOf(target, 'responses', { input: 'Hi', ...logprobs })
    expect(adjusted.filter(name => name === 'top_logprobs')).toHaveLength(1)
  })
})
