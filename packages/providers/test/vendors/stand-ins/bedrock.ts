import { type RecordedRequest, type Steps, steps } from '@sluice/testing'
import { exceptionFrame } from '../replay/event-frames.ts'
import { converseAnswer, converseEvents } from './bedrock/converse-answer.ts'
import { type ConverseRequest, converseRequest } from './bedrock/converse-request.ts'
import { checkConverseRules } from './bedrock/converse-rules.ts'
import { frame } from './bedrock/frames.ts'
import { heardConverse } from './bedrock/heard-converse.ts'
import { modelFacts } from './bedrock/models.ts'
import { checkSignature, type Signer } from './bedrock/signed.ts'
import { Fault } from './fault.ts'
import type { Heard } from './heard.ts'
import { failureAsked, planFor } from './plan.ts'
import { jsonBody, type StandIn, startStandIn } from './stand-in.ts'

/** The credentials that the stand-in knows; it also takes the bearer token `bedrock-token`. */
export const bedrockSigner: Signer = {
  accessKeyId: 'ACCESSKEYOFASTANDIN',
  secretAccessKey: 'secret/of+a+stand+in',
  sessionToken: 'session+token/of==',
  region: 'us-east-1',
}

const types: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  415: 'ValidationException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
}

/** Throws `Fault` for a body that Converse would refuse for this model. */
export function checkConverse(body: unknown, model: string): void {
  const facts = modelFacts(model)
  if (facts === undefined) throw new Fault('The provided model identifier is invalid.')
  converseRequest(body, '')
  checkConverseRules(body as ConverseRequest, facts)
}

/** Bedrock's Converse and ConverseStream in us-east-1. */
export function bedrockStandIn(): Promise<StandIn> {
  return startStandIn({
    answer(request) {
      checkWho(request)
      const [, encoded, operation] =
        /^\/model\/([^/?]+)\/(converse|converse-stream)$/.exec(request.path) ?? []
      if (request.method !== 'POST' || encoded === undefined) {
        throw new Fault('Unable to determine service/operation name to be authorized', 403)
      }
      const body = jsonBody(request)
      checkConverse(body, decodeURIComponent(encoded))
      return answerConverse(
        heardConverse(body as unknown as ConverseRequest),
        operation === 'converse-stream',
      )
    },
    refusal: ({ status, message, kind }) => error(status, message, kind),
  })
}

function checkWho(request: RecordedRequest): void {
  const { authorization = '' } = request.headers
  if (!authorization.startsWith('Bearer ')) checkSignature(request, bedrockSigner)
  else if (authorization !== 'Bearer bedrock-token') {
    throw new Fault('Authentication failed: Please make sure your API Key is valid.', 403)
  }
}

function answerConverse(heard: Heard, streamed: boolean): Steps {
  const frames = { headers: { 'content-type': 'application/vnd.amazon.eventstream' } }
  const exception = exceptionFrame(
    'serviceUnavailableException',
    'Bedrock is unable to process your request.',
  )
  const failing = failureAsked(heard)
  switch (failing) {
    case 'context':
      return error(400, 'The model returned the following errors: Input is too long for requested model.')
    case 'rate':
      return error(429, 'Too many requests, please wait before trying again.')
    case 'overloaded':
      return error(503, 'Bedrock is unable to process your request.')
    case 'first':
      return steps.stream([exception], frames)
  }
  const plan = planFor(heard)
  if (!streamed) return steps.reply(converseAnswer(plan))
  const events = converseEvents(plan).map(([type, payload]) => frame(type, payload))
  return steps.stream(failing === 'midway' ? [...events.slice(0, 3), exception] : events, frames)
}

function error(status: number, message: string, kind = types[status] ?? 'InternalServerException'): Steps {
  const type = `${kind}:http://internal.amazon.com/coral/com.amazon.bedrock/`
  return steps.reply({ message }, { status, headers: { 'x-amzn-errortype': type } })
}
