import type {
  AnswerIdentity,
  CompleteAnswer,
  DialectError,
  GenerateDialect,
} from '../../contracts/dialect.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { replaceMember } from '../../protocol/replace-member.ts'
import { withUsageCost } from '../../protocol/usage-cost.ts'
import { usageWithCost } from '../../usage/usage.ts'
import { completionsOutline } from './outline.ts'
import { readCompletions } from './read.ts'
import { CompletionsStreamWriter, errorEvent } from './stream-writer.ts'

/** The older API of text completions. Requests are passed on to vendors that have it, and never translated. */
export const completionsDialect: GenerateDialect = {
  name: 'completions',
  operation: 'complete',
  path: '/completions',
  outline: completionsOutline,
  read: readCompletions,
  answerId: id => `cmpl-${id.slice(0, 29)}`,
  write: completionText,
  pass: (native, identity) =>
    withUsageCost(replaceMember(native, ['model'], identity.model), ['usage'], identity),
  stream: (identity, request) =>
    new CompletionsStreamWriter(identity, request.settings().stream_options?.include_usage === true),
  streamError: errorEvent,
  error: (error: GatewayError): DialectError => ({
    status: error.status,
    body: error.toBody(),
    headers: error.headers,
  }),
}

/** Writes an answer of a provider that does not return the vendor's own text. */
function completionText(answer: CompleteAnswer, identity: AnswerIdentity): string {
  const { id, created, model } = identity
  const choices = answer.completion().choices.map(({ index, message, finish_reason = null }) => ({
    index,
    text: message.content ?? '',
    logprobs: null,
    finish_reason,
  }))
  const usage = usageWithCost(answer.usage, identity.cost?.())
  return JSON.stringify({ id, object: 'text_completion', created, model, choices, usage })
}
