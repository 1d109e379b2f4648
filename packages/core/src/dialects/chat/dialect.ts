import type {
  AnswerIdentity,
  AnswerStreamWriter,
  CompleteAnswer,
  DialectError,
  GenerateDialect,
} from '../../contracts/dialect.ts'
import type { GenerateRequest } from '../../conversation/generate-request.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { errorEvent } from './chunk-writer.ts'
import { normalizeCompletion } from './completion.ts'
import { completionText } from './completion-text.ts'
import { chatOutline } from './outline.ts'
import { readChat } from './read.ts'
import { ChatStreamWriter } from './stream-writer.ts'

/** The chat completions API. */
export const chatDialect: GenerateDialect = {
  name: 'chat',
  operation: 'generate',
  path: '/chat/completions',
  outline: chatOutline,
  read: readChat,
  answerId: id => `chatcmpl-${id.slice(0, 29)}`,
  write(answer: CompleteAnswer, identity: AnswerIdentity, request: GenerateRequest, newId: () => string) {
    const { logprobs } = request.settings()
    return completionText(
      normalizeCompletion(answer.completion(), answer.usage, identity, newId, logprobs === true),
    )
  },
  stream(identity: AnswerIdentity, request: GenerateRequest): AnswerStreamWriter {
    return new ChatStreamWriter(identity, request.settings().stream_options?.include_usage === true)
  },
  streamError: error => errorEvent(error.toBody()),
  error: (error: GatewayError): DialectError => ({
    status: error.status,
    body: error.toBody(),
    headers: error.headers,
  }),
}
