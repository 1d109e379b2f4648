import { answerMessages, messagesError } from './anthropic/answer.ts'
import { heardMessages } from './anthropic/heard-messages.ts'
import { type MessagesRequest, messagesRequestOnVertex } from './anthropic/messages-request.ts'
import { checkMessagesRules } from './anthropic/messages-rules.ts'
import { modelFacts as claudeFacts } from './anthropic/models.ts'
import { Fault } from './fault.ts'
import { answerGenerate, generateError } from './gemini/answer.ts'
import { type GenerateRequest, generateRequestOnVertex } from './gemini/generate-request.ts'
import { checkGenerateRules } from './gemini/generate-rules.ts'
import { modelFacts as geminiFacts } from './gemini/models.ts'
import { jsonBody, type StandIn, startStandIn } from './stand-in.ts'

const operation =
  /^\/v1\/projects\/my-project\/locations\/us-east5\/publishers\/(google|anthropic)\/models\/([^/:?]+):(\w+)(\?alt=sse)?$/

/** Throws `Fault` for a body that Gemini on Vertex would refuse. */
export function checkVertexGenerate(body: unknown, model: string): void {
  const facts = geminiFacts(model)
  if (facts === undefined) throw new Fault(`Publisher Model \`${model}\` not found.`, 404)
  generateRequestOnVertex(body, '')
  checkGenerateRules(body as GenerateRequest, facts)
}

/** Throws `Fault` for a body that Claude on Vertex would refuse. */
export function checkVertexMessages(body: unknown, model: string): void {
  const facts = claudeFacts(model)
  if (facts === undefined || !/^claude-[\w-]+@\d{8}$/.test(model)) {
    throw new Fault(`Publisher Model \`${model}\` not found.`, 404)
  }
  messagesRequestOnVertex(body, '')
  checkMessagesRules(body as MessagesRequest, facts)
}

/** Vertex AI in us-east5 for the project `my-project`. It takes the token `vertex-token`. */
export function vertexStandIn(): Promise<StandIn> {
  return startStandIn({
    answer(request) {
      if (request.headers.authorization !== 'Bearer vertex-token') {
        throw new Fault('Request had invalid authentication credentials.', 401)
      }
      const [, publisher, encoded = '', method = '', sse] = operation.exec(request.path) ?? []
      if (request.method !== 'POST' || publisher === undefined) throw new Fault('Not Found', 404)
      const model = decodeURIComponent(encoded)
      const body = jsonBody(request)
      return publisher === 'google' ? gemini(body, model, method, sse) : claude(body, model, method)
    },
    // A model's own faults come in its publisher's shape.
    refusal: ({ status, message }, { path }) =>
      status === 400 && path.includes('/anthropic/')
        ? messagesError(status, 'invalid_request_error', message)
        : generateError(status, message),
  })
}

function gemini(body: object, model: string, method: string, sse: string | undefined) {
  if (!['generateContent', 'streamGenerateContent'].includes(method)) throw new Fault('Not Found', 404)
  checkVertexGenerate(body, model)
  const delivery = method === 'generateContent' ? 'whole' : sse === undefined ? 'array' : 'events'
  return answerGenerate(body as GenerateRequest, model, geminiFacts(model)!, delivery)
}

function claude(body: object, model: string, method: string) {
  if (!['rawPredict', 'streamRawPredict'].includes(method)) throw new Fault('Not Found', 404)
  checkVertexMessages(body, model)
  const asked = body as MessagesRequest
  if ((asked.stream === true) !== (method === 'streamRawPredict')) {
    throw new Fault('stream: it has to be true for streamRawPredict, and for nothing else')
  }
  return answerMessages(heardMessages(asked), model, asked.stream === true)
}
