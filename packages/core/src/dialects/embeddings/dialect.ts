import type { DialectError, EmbedAnswer, EmbedDialect } from '../../contracts/dialect.ts'
import type { EmbedRequest } from '../../contracts/embedding.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { answerText } from './answer-text.ts'
import { embeddingsOutline } from './outline.ts'
import { readEmbeddings } from './read.ts'

/** The embeddings API. */
export const embeddingsDialect: EmbedDialect = {
  name: 'embeddings',
  operation: 'embed',
  path: '/embeddings',
  outline: embeddingsOutline,
  read: readEmbeddings,
  write: (answer: EmbedAnswer, { encoding }: EmbedRequest) => answerText(answer, encoding),
  error: (error: GatewayError): DialectError => ({
    status: error.status,
    body: error.toBody(),
    headers: error.headers,
  }),
}
