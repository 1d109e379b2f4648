import type { Dialect } from '../contracts/dialect.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { embeddingsDialect } from '../dialects/embeddings/dialect.ts'
import { messagesDialect } from '../dialects/messages/dialect.ts'

/** The protocols that every gateway serves. */
export const builtInDialects: readonly Dialect[] = [chatDialect, messagesDialect, embeddingsDialect]
