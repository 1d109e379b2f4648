import type { CountDialect, GenerateDialect } from '../../contracts/dialect.ts'
import { replaceMember } from '../../protocol/replace-member.ts'
import { withUsageCost } from '../../protocol/usage-cost.ts'
import { messagesError, messagesErrorEvent } from './error.ts'
import { messagesLimitHeaders } from './limit-headers.ts'
import { messageText } from './message-text.ts'
import { messagesModels } from './models.ts'
import { messagesOutline } from './outline.ts'
import { readCount, readMessages } from './read.ts'
import { MessagesStreamWriter } from './stream-writer.ts'
import { requestIdHeader } from './wire-names.ts'

/** What the endpoints of the Messages API have in common. */
const endpoint = {
  outline: messagesOutline,
  error: messagesError,
  limitHeaders: messagesLimitHeaders,
  requestIdHeader,
} as const

/** The Messages API. */
export const messagesDialect: GenerateDialect = {
  ...endpoint,
  name: 'messages',
  operation: 'generate',
  path: '/messages',
  read: readMessages,
  answerId: id => `msg_${id.replaceAll('-', '')}`,
  write: messageText,
  models: messagesModels,
  pass: (native, identity) =>
    withUsageCost(replaceMember(native, ['model'], identity.model), ['usage'], identity),
  stream: (identity, request) => new MessagesStreamWriter(identity, request),
  streamError: error => messagesErrorEvent(error),
}

/** The token counts of the Messages API. Its requests are those of a message, and in their dialect. */
export const countTokensDialect: CountDialect = {
  ...endpoint,
  name: 'messages_count_tokens',
  operation: 'countTokens',
  counts: messagesDialect.name,
  path: '/messages/count_tokens',
  read: readCount,
  write: tokens => JSON.stringify({ input_tokens: tokens }),
}
