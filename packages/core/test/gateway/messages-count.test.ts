import { expect, it } from 'vitest'
import type { NativeCall } from '../../src/contracts/provider.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

it('a vendor that speaks the Messages API judges what it counts', async () => {
  const texts: string[] = []
  const { target } = scripted(() => whole('never'), {
    speaks: ['messages'],
    count: {
      encode: () => {
        throw new Error('The request was translated.')
      },
      encodeNative: ({ text }: NativeCall) => {
        texts.push(text)
        return { method: 'POST', url: 'count:', headers: {} }
      },
      decode: () => ({ promptTokens: 42 }),
    },
  })
  const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route: models({ m: target }) })
  const count = (messages: unknown) =>
    gateway.fetch(
      new Request('http://sluice.test/v1/messages/count_tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages }),
      }),
    )
  for (const content of [
    [{ type: 'text' }],
    [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
    [{ type: 'tool_result', tool_use_id: 'toolu_of_another_turn' }],
  ]) {
    const response = await count([{ role: 'user', content }])
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: 42 }])
  }
  expect(texts).toHaveLength(3)
})
