import { Fault } from './fault.ts'
import { answerGenerate, generateError } from './gemini/answer.ts'
import { type GenerateRequest, generateRequest } from './gemini/generate-request.ts'
import { checkGenerateRules } from './gemini/generate-rules.ts'
import { modelFacts } from './gemini/models.ts'
import { jsonBody, type StandIn, startStandIn } from './stand-in.ts'

const operation = /^\/v1beta\/models\/([^/:?]+):(generateContent|streamGenerateContent)(\?alt=sse)?$/

/** Throws `Fault` for a body that the Gemini API would refuse for this model. */
export function checkGenerate(body: unknown, model: string): void {
  const facts = modelFacts(model)
  if (facts === undefined) throw new Fault(`models/${model} is not found for API version v1beta`, 404)
  generateRequest(body, '')
  checkGenerateRules(body as GenerateRequest, facts)
}

/** The Gemini API of AI Studio. It takes the key `gemini-key`. */
export function geminiStandIn(): Promise<StandIn> {
  return startStandIn({
    answer(request) {
      const [, model = '', method, sse] = operation.exec(request.path) ?? []
      if (request.method !== 'POST' || method === undefined) throw new Fault('Not Found', 404)
      const key = request.headers['x-goog-api-key']
      if (key === undefined) throw new Fault("Method doesn't allow unregistered callers.", 403)
      if (key !== 'gemini-key') throw new Fault('API key not valid. Please pass a valid API key.')
      const body = jsonBody(request)
      checkGenerate(body, model)
      const delivery = method === 'generateContent' ? 'whole' : sse === undefined ? 'array' : 'events'
      return answerGenerate(body as unknown as GenerateRequest, model, modelFacts(model)!, delivery)
    },
    refusal: ({ status, message }) => generateError(status, message),
  })
}
