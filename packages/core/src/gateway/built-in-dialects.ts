import type { Dialect } from '../contracts/dialect.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { embeddingsDialect } from '../dialects/embeddings/dialect.ts'
import { countTokensDialect, messagesDialect } from '../dialects/messages/dialect.ts'

/** The protocols that every gateway serves. */
export const builtInDialects: readonly Dialect[] = [
  chatDialect,
  messagesDialect,
  countTokensDialect,
  embeddingsDialect,
]
