import type { Target } from '@sluice/core'
import { anthropic, bedrock, gemini } from '@sluice/providers'
import { reply, type Script } from '@sluice/testing'
import { threeWords, wholeAnswer } from './vendor-answers.ts'

/** A vendor with a protocol of its own. */
interface OwnProtocol {
  /** Its model, where its servers are at this origin. */
  readonly at: (origin: string) => Target
  /** A whole answer of its own. */
  readonly answer: Script
}

/** The vendors that read requests by protocols of their own: what they do not know is not sent on. */
export const vendors = {
  anthropic: {
    at: origin => anthropic({ apiKey: 'key', baseURL: `${origin}/v1` })('claude-sonnet-4-5'),
    answer: reply(wholeAnswer('messages', threeWords)),
  },
  gemini: {
    at: origin => gemini({ apiKey: 'key', baseURL: `${origin}/v1beta` })('gemini-2.5-flash'),
    answer: reply(wholeAnswer('generate', threeWords)),
  },
  bedrock: {
    at: origin =>
      bedrock({ region: 'us-east-1', bearerToken: 'token', baseURL: origin })('amazon.nova-lite-v1:0'),
    answer: reply(wholeAnswer('converse', threeWords)),
  },
} as const satisfies Record<string, OwnProtocol>
