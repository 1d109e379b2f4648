import type { Dialect } from '../contracts/dialect.ts'
import { chatDialect } from './chat/dialect.ts'
import { embeddingsDialect } from './embeddings/dialect.ts'
import { countTokensDialect, messagesDialect } from './messages/dialect.ts'

/** The dialects that every gateway has. */
export const builtInDialects: readonly Dialect[] = [
  chatDialect,
  messagesDialect,
  countTokensDialect,
  embeddingsDialect,
]
