import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors/upstream-error.ts'
import { refusesReasoning } from './refuses-reasoning.ts'

const refused = (vendorMessage: string, status = 400) =>
  new UpstreamError('The upstream refused.', { kind: 'refused', status, vendorMessage })

const noThought =
  'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).'

describe('a refusal of reasoning', () => {
  it.each([
    ['a signature', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
    ['encrypted content', 'The encrypted content for item rs_1 could not be verified.'],
    ['an answer that begins without a thought', noThought],
  ])('is about %s', (_, message) => {
    expect(refusesReasoning(refused(message))).toBe(true)
    expect(refusesReasoning(refused(message, 500))).toBe(false)
  })

  it('is no other refusal', () => {
    expect(refusesReasoning(refused('thinking.budget_tokens: Input should be at least 1024'))).toBe(false)
    expect(refusesReasoning(new Error(noThought))).toBe(false)
  })
})
