import type { Adjustment } from '../../contracts/provider.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'

/** What a translation of a request does to something that other protocols cannot express, and why. */
export type Loss = Pick<ConversationLoss, 'why' | 'kind'>

/** Everything that a translation of a request can report on its own. A provider reports more, by what its vendor supports. */
export const losses = {
  billingLine: { why: 'only the vendor of the client reads it', kind: 'hint' },
  accountFile: { why: 'files of an account are for the vendor that has it', kind: 'content' },
  citations: { why: 'this model cites no documents in this way', kind: 'hint' },
  unknownBlock: { why: 'this model takes no such blocks', kind: 'hint' },
  hostedResult: { why: 'its text, as text of the assistant', kind: 'mapped' },
  prefill: { why: 'this model answers it as a new turn', kind: 'mapped' },
  clientTool: { why: 'a function with the same parameters', kind: 'mapped' },
  longName: { why: 'a name of 64 characters, as other vendors take', kind: 'mapped' },
  hostedTool: { why: 'this model has no tool of this type that its vendor runs', kind: 'hint' },
  neededHostedTool: { why: 'this model has no tool of this type that its vendor runs', kind: 'content' },
  searchLimit: { why: 'the search of this vendor cannot be limited so', kind: 'content' },
  searchCount: { why: 'this vendor decides how often it searches', kind: 'hint' },
  unknownField: { why: 'not known to this vendor', kind: 'hint' },
  neededField: { why: 'not known to this vendor', kind: 'content' },
} as const satisfies Readonly<Record<string, Loss>>

/** What is reported of an answer with links or citations that have no block. */
export const lostCitations: Adjustment = {
  parameter: 'content.citations',
  action: 'dropped',
  detail: 'this API has no form for the citations of this model',
}

/** Returns the loss of a block, with its type if that is a plain word. */
export function lossOfBlock(type: unknown): Loss {
  const { unknownBlock } = losses
  if (typeof type !== 'string' || !/^\w{1,64}$/.test(type)) return unknownBlock
  return { ...unknownBlock, why: `this model takes no blocks of type ${type}` }
}
