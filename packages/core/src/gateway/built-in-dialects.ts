import type { Dialect } from '../contracts/dialect.ts'
import { chatDialect } from '../dialects/chat/dialect.ts'
import { completionsDialect } from '../dialects/completions/dialect.ts'
import { embeddingsDialect } from '../dialects/embeddings/dialect.ts'
import { countTokensDialect, messagesDialect } from '../dialects/messages/dialect.ts'
import { moderationsDialect } from '../dialects/moderations/dialect.ts'
import { rerankDialect } from '../dialects/rerank/dialect.ts'
import { compactDialect, inputTokensDialect, responsesDialect } from '../dialects/responses/dialect.ts'

/** The dialects that every gateway has. */
export const builtInDialects: readonly Dialect[] = [
  chatDialect,
  messagesDialect,
  countTokensDialect,
  responsesDialect,
  inputTokensDialect,
  compactDialect,
  embeddingsDialect,
  rerankDialect,
  moderationsDialect,
  completionsDialect,
]
