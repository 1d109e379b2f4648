import type { EncodedRequest, JsonObject, Provider } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { responsesRequest } from '../../../core/test/support/responses-request.ts'
import { anthropic } from '../../src/anthropic.ts'
import { bedrock } from '../../src/bedrock.ts'
import { gemini } from '../../src/gemini.ts'

// Requests in the Responses API, translated for vendors with another protocol.

const claude = anthropic({ apiKey: 'k' })
const google = gemini({ apiKey: 'k' })
const amazon = bedrock({ region: 'us-east-1', bearerToken: 't' })

interface Target {
  readonly provider: Provider
  readonly model: string
}

async function encoded(more: JsonObject, { provider, model }: Target) {
  const request = responsesRequest(more)
  const sent: EncodedRequest = await provider.encode({ input: request.chat(), request, model })
  const adjustments = (sent.adjustments ?? []).map(({ action, parameter }) => `${action} ${parameter}`)
  return { body: JSON.parse(String(sent.body)), adjustments }
}

describe('a summary without an effort', () => {
  const summary = { reasoning: { summary: 'auto' }, max_output_tokens: 100 }
  const shown = { type: 'adaptive', display: 'summarized' }

  it.each([
    ['claude-sonnet-5', shown],
    ['claude-opus-5-5', shown],
    ['claude-opus-4-8', undefined],
    ['claude-haiku-4-5', undefined],
  ])('is asked of %s where it thinks by itself', async (model, thinking) => {
    const { body, adjustments } = await encoded(summary, claude(model))
    expect(body.thinking).toEqual(thinking)
    expect(body.max_tokens).toBe(100)
    expect(adjustments).toEqual([])
    expect((await encoded({ max_output_tokens: 100 }, claude(model))).body).not.toHaveProperty('thinking')
  })

  it('is asked of Claude on Bedrock', async () => {
    const { body } = await encoded(summary, amazon('anthropic.claude-sonnet-5-v1:0'))
    expect(body.additionalModelRequestFields).toEqual({ thinking: shown })
  })

  it.each([
    ['gemini-3-pro-preview', { includeThoughts: true }],
    ['gemini-2.5-flash', { includeThoughts: true }],
    ['gemini-2.5-flash-lite', undefined],
    ['gemini-2.0-flash', undefined],
    ['gemma-4-31b-it', undefined],
  ])('is asked of %s where it thinks by itself', async (model, thinkingConfig) => {
    const { body, adjustments } = await encoded(summary, google(model))
    expect(body.generationConfig.thinkingConfig).toEqual(thinkingConfig)
    expect(adjustments).toEqual([])
  })

  it('is not asked for where the model is not to think', async () => {
    const none = { reasoning: { effort: 'none', summary: 'auto' } }
    expect((await encoded(none, claude('claude-sonnet-5'))).body.thinking).toEqual({ type: 'disabled' })
    const { body } = await encoded(none, google('gemini-2.5-flash'))
    expect(body.generationConfig.thinkingConfig).toEqual({ thinkingBudget: 0 })
  })
})

describe('the names in adjustments', () => {
  it('are those of the caller', async () => {
    expect((await encoded({}, claude('claude-haiku-4-5'))).adjustments).toEqual([
      'defaulted max_output_tokens',
    ])
    const file = { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' }
    const { adjustments } = await encoded(
      { input: [{ role: 'user', content: [file] }] },
      amazon('amazon.nova-pro-v1:0'),
    )
    expect(adjustments).toContain('defaulted input')
  })
})
