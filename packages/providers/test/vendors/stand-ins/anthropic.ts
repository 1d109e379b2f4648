import { answerMessages, messagesError } from './anthropic/answer.ts'
import { heardMessages } from './anthropic/heard-messages.ts'
import { type MessagesRequest, messagesRequest } from './anthropic/messages-request.ts'
import { checkMessagesRules } from './anthropic/messages-rules.ts'
import { modelFacts } from './anthropic/models.ts'
import { Fault } from './fault.ts'
import { jsonBody, type StandIn, startStandIn } from './stand-in.ts'

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  415: 'invalid_request_error',
}

/** Throws `Fault` for a body that the Messages API would refuse. */
export function checkMessages(body: unknown): void {
  messagesRequest(body, '')
  const { model } = body as { model: string }
  const facts = modelFacts(model)
  if (facts === undefined) throw new Fault(`model: ${model}`, 404)
  checkMessagesRules(body as MessagesRequest, facts)
}

/** Anthropic's Messages API. It takes the key `anthropic-key`. */
export function anthropicStandIn(): Promise<StandIn> {
  return startStandIn({
    answer(request) {
      const { headers, method, path } = request
      if (headers['x-api-key'] === undefined) throw new Fault('x-api-key header is required', 401)
      if (headers['x-api-key'] !== 'anthropic-key') throw new Fault('invalid x-api-key', 401)
      if (headers['anthropic-version'] !== '2023-06-01')
        throw new Fault('anthropic-version: header is required')
      if (method !== 'POST' || path !== '/v1/messages') throw new Fault('Not Found', 404)
      const body = jsonBody(request)
      checkMessages(body)
      const asked = body as unknown as MessagesRequest & { readonly model: string }
      return answerMessages(heardMessages(asked), asked.model, asked.stream === true)
    },
    refusal: ({ status, message }) => messagesError(status, types[status] ?? 'api_error', message),
  })
}
