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

/** What a vendor of each family that signs reasoning says of a signature that it cannot read. */
export const signatureRefusals: Readonly<Record<string, string>> = {
  anthropic: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  bedrock:
    'The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block',
  gemini: 'Thought signature is not valid.',
  'openai responses':
    'The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
}
