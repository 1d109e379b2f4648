import type { Capabilities } from '@sluice/core'
import type { Dialect } from './dialect.ts'

/** OpenAI's own: the protocol itself. It answers 400 `unknown_parameter` to members of messages that it does not know. */
export const openaiDialect = { messageFields: 'strict' } as const satisfies Dialect

/** What OpenAI's names say of its models: o1, o3, gpt-5 and so on reason, the chat models among them do not. */
export function capabilitiesByName(model: string): Capabilities | undefined {
  return /^(?:ft:)?(?:o[1-9]|gpt-[5-9])(?![\d.]*-chat)/.test(model) ? { reasoning: true } : undefined
}
