import { anthropicFamily } from './anthropic-family.ts'
import { bedrockFamily } from './bedrock-family.ts'
import { chatFamily } from './chat-family.ts'
import type { Family } from './family.ts'
import { geminiFamily } from './gemini-family.ts'
import { reasoningFamily, responsesFamily } from './responses-family.ts'

/** One vendor of each kind of protocol. */
export const families: readonly Family[] = [
  chatFamily,
  anthropicFamily,
  geminiFamily,
  bedrockFamily,
  reasoningFamily,
]

/** These, and one whose vendor gets requests of the Responses API as they came. */
export const familiesOfResponses: readonly Family[] = [...families, responsesFamily]
