import type { Target } from '@sluice/core'
import { anthropic, bedrock, gemini, type ImageFetcher, openaiCompatible } from '@sluice/providers'
import { type Script, steps } from '@sluice/testing'
import { upstreamKey } from './service.ts'
import { threeWords, wholeAnswer } from './vendor-answers.ts'

/** A vendor as a target at an upstream of the test. */
export interface ProtocolTarget {
  readonly at: (origin: string, fetchImage?: ImageFetcher) => Target
  /** A whole answer in the vendor's words. */
  readonly answer: Script
}

type Protocol = 'openai-compatible' | 'anthropic' | 'gemini' | 'bedrock'

/** One vendor of each protocol of requests. */
export const targets: Readonly<Record<Protocol, ProtocolTarget>> = {
  'openai-compatible': {
    at: origin =>
      openaiCompatible({ name: 'vendor', baseURL: `${origin}/v1`, apiKey: upstreamKey })('its-model'),
    answer: steps.answer(),
  },
  anthropic: {
    at: origin => anthropic({ baseURL: `${origin}/v1`, apiKey: upstreamKey })('claude-sonnet-4-20250514'),
    answer: steps.reply(wholeAnswer('messages', threeWords)),
  },
  gemini: {
    at: (origin, fetchImage) =>
      gemini({ baseURL: `${origin}/v1beta`, apiKey: upstreamKey, fetchImage })('gemini-2.5-flash'),
    answer: steps.reply(wholeAnswer('generate', threeWords)),
  },
  bedrock: {
    at: (origin, fetchImage) =>
      bedrock({ region: 'us-east-1', bearerToken: upstreamKey, baseURL: origin, fetchImage })(
        'us.amazon.nova-lite-v1:0',
      ),
    answer: steps.reply(wholeAnswer('converse', threeWords)),
  },
}
