import { chatCompletions } from './dialects/chat-completions.ts'
import type { ChatDialect } from './dialects/chat-dialect.ts'
import { messages } from './dialects/messages.ts'
import { responses } from './dialects/responses.ts'

/** By name. */
export const chatDialects = { chat: chatCompletions, responses, messages } as const satisfies Readonly<
  Record<string, ChatDialect>
>

export type ChatDialectName = keyof typeof chatDialects
