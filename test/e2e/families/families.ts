import { anthropicFamily } from './anthropic-family.ts'
import { bedrockFamily } from './bedrock-family.ts'
import { chatFamily } from './chat-family.ts'
import type { Family } from './family.ts'
import { geminiFamily } from './gemini-family.ts'
import { responsesFamily } from './responses-family.ts'

/** One vendor of each kind of protocol. */
export const families: readonly Family[] = [
  chatFamily,
  anthropicFamily,
  geminiFamily,
  bedrockFamily,
  responsesFamily,
]
