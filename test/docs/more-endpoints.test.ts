import { createGateway, type ManagedGateway, models, type Prices } from '@sluice/core'
import { serve } from '@sluice/node'
import { openai } from '@sluice/providers'
import { startUpstream, steps } from '@sluice/testing'
import { expect, onTestFinished } from 'vitest'
import { describePage } from './runner/describe-page.ts'
import { tableUnder } from './runner/markdown.ts'

const page = 'docs/more-endpoints.md'

const requests = {
  '/rerank': { model: 'best-first', query: 'q', documents: ['d'] },
  '/moderations': { model: 'safety', input: 'Hello!' },
  '/completions': { model: 'code', prompt: 'def f' },
}

describePage(page, {
  endpoints: async ({ run }) => {
    const keys = { COHERE_API_KEY: 'a', OPENAI_API_KEY: 'b', MISTRAL_API_KEY: 'c' }
    const gateway = (await run(keys)).exports.gateway as ManagedGateway
    for (const [path, body] of Object.entries(requests)) {
      for (const { model } of Object.values(requests)) {
        const { refusal } = await gateway.explain(
          new Request(`http://sluice.test/v1${path}`, {
            method: 'POST',
            headers: { authorization: 'Bearer sk-search', 'content-type': 'application/json' },
            body: JSON.stringify({ ...body, model }),
          }),
        )
        if (model === body.model) expect(refusal, path).toBeUndefined()
        else if (path !== '/completions' && model !== 'code') expect(refusal?.status, path).toBe(400)
      }
    }
  },

  rerank: async ({ run }) => {
    const { printed } = await run()
    expect(printed).toEqual(['1 To reset a password, open the settings'])
    const fields = tableUnder(page, '## Rerank').map(([name]) => name!.replaceAll('`', ''))
    expect(fields).toEqual(['model', 'query', 'documents', 'top_n', 'return_documents', 'others'])
  },

  moderation: async ({ run }) => {
    const results = [{ flagged: false }, { flagged: true }]
    const upstream = await startUpstream(steps.reply({ id: 'modr-1', model: 'm', results }))
    onTestFinished(() => upstream.close())
    const safety = openai({ apiKey: 'k', baseURL: upstream.baseURL })('omni-moderation-latest')
    const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route: models({ safety }) })
    const served = await serve(gateway, { port: 0 })
    onTestFinished(() => served.close())
    const { printed } = await run({}, code => code.replace('http://localhost:3000', served.url))
    expect(printed).toEqual(['false', 'true'])
  },

  prices: async ({ run }) => {
    const prices = (await run()).exports.prices as Prices
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 0,
      total_tokens: 9,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }
    const asked = {
      operation: 'rerank',
      model: 'best-first',
      provider: 'cohere',
      upstreamModel: 'rerank-v3.5',
      at: 0,
    } as const
    expect(prices(usage, { ...asked, searchUnits: 3 })).toBeCloseTo(0.006)
    expect(prices(usage, { ...asked, provider: 'openai', upstreamModel: 'omni-moderation-latest' })).toBe(0)
  },
})
