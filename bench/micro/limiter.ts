import { concurrent, limits, requests, tokens } from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import type { LimitContext } from '../../packages/core/src/contracts/limiter.ts'
import { chatDraft } from '../../packages/core/test/support/chat-draft.ts'
import { vendorModels } from '../../packages/providers/test/vendors/properties/vendors.ts'
import type { Case } from './case.ts'
import { conversations } from './requests.ts'

const million = 1_000_000
const rules = [
  requests(million).per('second'),
  tokens(1_000 * million).per('second'),
  concurrent(1_000),
  requests(million).per('second').by('tag:team'),
]
const context: LimitContext = {
  entry: 'm',
  requestId: 'r',
  targets: [vendorModels.openai!.target],
  price: () => 0,
  signal: new AbortController().signal,
}
const principal = { id: 'ann', tags: { team: 'search' } }
const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

/** Room that is taken and given back. */
export const limiterCases: Case[] = [1, 4].flatMap(count => {
  const limiter = limits(rules.slice(0, count), { store: memoryLimitStore() })
  return conversations.map(({ name, bytes, body }) => ({
    group: `limits in memory: ${count} ${count === 1 ? 'rule' : 'rules'}`,
    name,
    bytes: bytes.length,
    async run() {
      // A fresh one, as each request has: what was counted of it is not known yet.
      const draft = chatDraft({ model: 'gpt-4o', body: { ...body }, bytes: bytes.length })
      const lease = await limiter.admit(principal, draft, context)
      await lease.settle(usage, 0)
    },
  }))
})
