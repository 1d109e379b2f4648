import type { Conversation } from '../conversation/conversation.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { BedrockModel } from './models.ts'
import { textBlocks } from './text-blocks.ts'
import type { Block } from './user-content.ts'

/** Where what the system says goes. */
export interface SystemPrompt {
  /** The request's `system`; empty where nothing is said there. */
  readonly system: readonly Block[]
  /** What stands before the user's first words, for models that take no `system`. */
  readonly preface: readonly Block[]
}

/**
 * What system and developer messages say. Those that stood further down are told of: there they stood after what
 * they now precede.
 *
 * @param line - a line that the caller did not write, after those that the caller did.
 */
export function systemPrompt(
  { system, moved }: Conversation,
  line: string | undefined,
  model: BedrockModel,
  adjusting: Adjusting,
): SystemPrompt {
  for (const path of moved) adjusting.map(path, 'moved to the front, into the system text')
  const blocks = textBlocks(system, model)
  if (line !== undefined) blocks.push({ text: line })
  if (model.system) return { system: blocks, preface: [] }
  if (blocks.length > 0) adjusting.map('messages', "the system text begins the user's first turn")
  return { system: [], preface: blocks }
}
