import { Fault } from './fault.ts'
import { answerChat, chatError } from './openai/chat-answer.ts'
import { type ChatBody, checkChatRequest } from './openai/chat-request.ts'
import { answerResponses } from './openai/responses-answer.ts'
import { checkResponsesRequest, type ResponsesBody } from './openai/responses-request.ts'
import { jsonBody, type StandIn, startStandIn } from './stand-in.ts'

const overloaded = {
  message: 'The engine is currently overloaded, please try again later',
  type: 'service_unavailable_error',
  param: null,
  code: null,
}

/** OpenAI's chat completions and Responses API. It takes the key `openai-key`. */
export function openaiStandIn(): Promise<StandIn> {
  return startStandIn({
    answer(request) {
      if (request.headers.authorization !== 'Bearer openai-key') {
        throw new Fault('Incorrect API key provided.', 401, 'invalid_api_key')
      }
      if (request.method === 'POST' && request.path === '/v1/responses') {
        const body = jsonBody(request)
        checkResponsesRequest(body)
        return answerResponses(body as unknown as ResponsesBody, overloaded)
      }
      if (request.method !== 'POST' || request.path !== '/v1/chat/completions') {
        throw new Fault(`Invalid URL (${request.method} ${request.path})`, 404)
      }
      const body = jsonBody(request)
      checkChatRequest(body)
      return answerChat(body as unknown as ChatBody, { overloaded })
    },
    refusal: ({ status, message, kind }) => chatError(status, message, { code: kind ?? null }),
  })
}
