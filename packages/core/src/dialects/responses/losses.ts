import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'

/** What a translation of a request does to something that other protocols cannot express, and why. */
export type Loss = Pick<ConversationLoss, 'why' | 'kind'>

/** Everything that a translation of a request can report on its own. A provider reports more, by what its vendor supports. */
export const losses = {
  unknownPart: { why: 'this model takes no such parts', kind: 'hint' },
  unknownItem: { why: 'this model takes no such items', kind: 'hint' },
  emptyReasoning: { why: 'it has neither text nor encrypted content', kind: 'hint' },
  cutArguments: { why: 'no arguments: they were cut off', kind: 'mapped' },
  movedResult: { why: 'moved behind its call', kind: 'mapped' },
  hostedItem: { why: 'what a tool of another vendor did is for that vendor', kind: 'hint' },
  compaction: { why: 'only the vendor that shortened the conversation can read it', kind: 'content' },
  grammar: { why: 'a function with one text, and the grammar in its description', kind: 'mapped' },
  builtInTool: { why: 'a function with the same parameters', kind: 'mapped' },
  hostedTool: { why: 'this model has no tool of this type that its vendor runs', kind: 'hint' },
  neededHostedTool: { why: 'this model has no tool of this type that its vendor runs', kind: 'content' },
  searchLimit: { why: 'the search of this vendor cannot be limited so', kind: 'content' },
  unknownField: { why: 'not known to this vendor', kind: 'hint' },
  neededField: { why: 'not known to this vendor', kind: 'content' },
  serviceTier: { why: 'this vendor has no tier of this name', kind: 'hint' },
} as const satisfies Readonly<Record<string, Loss>>

/** Returns the loss of an item or a part, with its type if that is a plain word. */
export function lossOfType(type: unknown, loss: Loss, noun: 'items' | 'parts'): Loss {
  if (typeof type !== 'string' || !/^\w{1,64}$/.test(type)) return loss
  return { ...loss, why: `this model takes no ${noun} of type ${type}` }
}
