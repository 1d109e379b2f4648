import { bedrock } from '@sluice/providers'
import type { ReplayedVendor } from '../vendors.ts'

export const bedrockReplay: ReplayedVendor = {
  connect: (origin, options) =>
    bedrock({ region: 'us-east-1', bearerToken: 'test-key', baseURL: origin, ...options }),
  model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  headers: { authorization: 'Bearer test-key', 'content-type': 'application/json' },
  canonical,
}

/** What is empty asks for nothing: all members of these are optional (Converse API). */
function canonical(body: Record<string, unknown>): Record<string, unknown> {
  const empty = ([key, value]: [string, unknown]) =>
    (key === 'inferenceConfig' || key === 'system') && Object.keys(value as object).length === 0
  return Object.fromEntries(Object.entries(body).filter(entry => !empty(entry)))
}
