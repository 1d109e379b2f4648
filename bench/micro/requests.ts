import type { Draft } from '../../packages/core/src/contracts/draft.ts'
import { chatDialect } from '../../packages/core/src/dialects/chat/dialect.ts'
import { defaultRequestLimits } from '../../packages/core/src/gateway/config.ts'
import { validateRequest } from '../../packages/core/src/gateway/validate-request.ts'
import { read } from '../../packages/core/src/validation/read.ts'
import { chatDraft } from '../../packages/core/test/support/chat-draft.ts'
import { vendorModels } from '../../packages/providers/test/vendors/properties/vendors.ts'
import { conversationOf } from '../questions.ts'
import type { Case } from './case.ts'

/** By size, and by the number of messages at one size. */
export const conversations = [
  [200, 1],
  [5_000, 20],
  [55_000, 1],
  [55_000, 20],
  [55_000, 200],
  [1_000_000, 200],
].map(([bytes = 0, messages = 0]) => {
  const text = conversationOf(bytes, messages)
  return {
    name: `${bytes >= 1e6 ? '1 MB' : `${bytes / 1e3} kB`}, ${messages} ${messages === 1 ? 'message' : 'messages'}`,
    bytes: new TextEncoder().encode(text),
    body: JSON.parse(text) as Draft['body'],
  }
})

const rules = {
  profile: 'live',
  unknownParameters: 'pass',
  boundsAll: true,
  estimateTokens: () => 0,
} as const

/** From the bytes of a request to its JSON, and from that to a request that is known to be sound. */
export const requestCases: Case[] = conversations.flatMap(({ name, bytes, body }) => {
  const headers = new Headers({ 'content-type': 'application/json', 'content-length': `${bytes.length}` })
  const request = { method: 'POST', headers } as Request
  const draft = chatDraft({ model: 'gpt-4o', body, bytes: bytes.length })
  const targets = [vendorModels.openai!.target]
  return [
    { group: 'JSON.parse of it, to compare', name, bytes: bytes.length, run: () => parse(bytes) },
    {
      group: 'intake: bytes to JSON within bounds',
      name,
      bytes: bytes.length,
      run: () => read(request, { kind: 'bytes', bytes }, defaultRequestLimits, chatDialect),
    },
    {
      group: 'schema: is it sound?',
      name,
      bytes: bytes.length,
      run: () => validateRequest(chatDialect, draft, { id: 'ann' }, targets, rules, { skip() {} }),
    },
  ]
})

const decoder = new TextDecoder()
function parse(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes))
}
