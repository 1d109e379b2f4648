import { answerReference } from '../dialects/chat/answer-schemas.ts'
import { requestReference } from '../dialects/chat/request-json-schema.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { headersOfChat, headersOfModels } from './headers.ts'
import { chatRefusals, listRefusals, modelRefusals, refusalAnswers } from './refusals-told.ts'

/** `POST /chat/completions`. */
export function completeChat(): JsonObject {
  return {
    operationId: 'createChatCompletion',
    summary: 'Answers a conversation, whole or as a stream of events.',
    parameters: [
      {
        name: 'idempotency-key',
        in: 'header',
        description: 'Where the service knows idempotency: the same key gives the same answer, and one call.',
        schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      },
      {
        name: 'cache-control',
        in: 'header',
        description:
          'Where the service has a cache: `no-cache` asks for a fresh answer, `no-store` keeps none.',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: requestReference } } },
    responses: {
      200: {
        description: 'The answer.',
        headers: headersOfChat(200),
        content: {
          'application/json': { schema: answerReference('ChatCompletion') },
          'text/event-stream': {
            schema: {
              description:
                'The `data` of one event, with `stream: true`. The last event is `[DONE]`; an answer that breaks off ends with an error instead.',
              oneOf: [answerReference('ChatCompletionChunk'), answerReference('Error')],
            },
          },
        },
      },
      ...refusalAnswers(chatRefusals, headersOfChat),
    },
  }
}

/** `GET /models`. */
export function listModels(): JsonObject {
  return {
    operationId: 'listModels',
    summary: 'The models that the caller may use.',
    responses: {
      200: answer('The models.', 'ModelList'),
      ...refusalAnswers(listRefusals, headersOfModels),
    },
  }
}

/** `GET /models/{model}`. */
export function retrieveModel(): JsonObject {
  return {
    operationId: 'retrieveModel',
    summary: 'One model.',
    parameters: [
      {
        name: 'model',
        in: 'path',
        required: true,
        description: 'Its id, in which a slash may stand as it is.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: answer('The model.', 'Model'),
      ...refusalAnswers(modelRefusals, headersOfModels),
    },
  }
}

function answer(description: string, schema: 'Model' | 'ModelList'): JsonObject {
  return {
    description,
    headers: headersOfModels(200),
    content: { 'application/json': { schema: answerReference(schema) } },
  }
}
