import { steps } from '@sluice/testing'
import { Fault } from './fault.ts'
import { answerChat } from './openai/chat-answer.ts'
import { type ChatBody, checkChatRequest } from './openai/chat-request.ts'
import { jsonBody, type StandIn, startStandIn } from './stand-in.ts'

/** Deployments, and the models behind them. */
const deployments: Readonly<Record<string, string>> = { 'my-gpt-4o': 'gpt-4o', 'my-gpt-5-mini': 'gpt-5-mini' }

const overloaded = { code: '503', message: 'The service is temporarily unable to process your request.' }
const filter = {
  hate: { filtered: false, severity: 'safe' },
  self_harm: { filtered: false, severity: 'safe' },
}

/** Azure OpenAI, with the classic paths and those of the v1 API. It takes the key `azure-key`. */
export function azureStandIn(): Promise<StandIn> {
  return startStandIn({
    answer(request) {
      if (request.headers['api-key'] !== 'azure-key') {
        throw new Fault(
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
          401,
        )
      }
      const [, classic] =
        /^\/openai\/deployments\/([^/?]+)\/chat\/completions\?api-version=2024-10-21$/.exec(request.path) ??
        []
      const v1 = /^\/openai\/v1\/chat\/completions(?:\?api-version=\w+)?$/.test(request.path)
      if (request.method !== 'POST' || (classic === undefined && !v1))
        throw new Fault('Resource not found', 404)
      const body = jsonBody(request)
      const model = deployments[classic ?? String(body.model)]
      if (model === undefined) {
        throw new Fault('The API deployment for this resource does not exist.', 404, 'DeploymentNotFound')
      }
      // On the classic path the deployment says what the model is, whatever the body names.
      const named = { ...body, model }
      checkChatRequest(named)
      return answerChat(named as unknown as ChatBody, { overloaded, filter })
    },
    refusal: ({ status, message, kind }) =>
      steps.reply({ error: { code: kind ?? String(status), message } }, { status }),
  })
}
