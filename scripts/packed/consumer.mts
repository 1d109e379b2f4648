import { createServer } from 'node:http'
import { apiKeys, createGateway, type Gateway, GatewayError, models, requests } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { type KoaContext, type MountedContext, type ResponseContext, toKoa } from '@sluice/koa'
import { serve, toNodeListener } from '@sluice/node'
import { createDispatch, deliver, expectGateway } from '@sluice/node/adapter'
import { local, openai, openaiCompatible } from '@sluice/providers'
import { local as localAlone } from '@sluice/providers/local'
import { openai as openaiAlone } from '@sluice/providers/openai'
import { openaiCompatible as compatibleAlone } from '@sluice/providers/openai-compatible'
import * as testing from '@sluice/testing'
import { cacheStoreConformance } from '@sluice/testing/conformance'

export const gateway: Gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test', models: ['demo*'] }]),
  limits: requests(60).per('minute'),
  route: models({
    demo: local()('demo'),
    hosted: [
      openai({ apiKey: 'key' })('gpt-4o'),
      openaiCompatible({ name: 'there', baseURL: 'http://there/v1' })('m'),
    ],
    alone: [
      localAlone()('demo'),
      openaiAlone({ apiKey: 'key' })('m'),
      compatibleAlone({ name: 'a', baseURL: 'http://a' })('m'),
    ],
  }),
  observe: event => {
    const type: string = event.type
    console.log(type)
  },
})

createServer(toNodeListener(gateway))
export const mounts = [toExpress(gateway), toKoa(gateway)]
expectGateway('adapter', gateway, ['fetch'])
const dispatch = createDispatch(gateway)
export const adapter = createServer((incoming, response) => {
  dispatch(incoming, response, { context: { host: incoming } }, answer => {
    void deliver(answer, response)
  })
})
export const partsOf = (context: KoaContext): [ResponseContext, MountedContext] => [context, context]
export const running = serve(gateway, { port: 0, host: '127.0.0.1' })
export const answer: Promise<Response> = gateway.fetch(new Request('http://here/v1/models'))
export const refusal = new GatewayError('model_not_found').status
export const toTest = testing
export const script: testing.Script = [testing.steps.wait(1), testing.steps.reply()]
export const step: testing.steps.ReplyStep = testing.steps.reply({}, { status: 503 })
export const caseNames: readonly string[] = cacheStoreConformance.map(({ name }) => name)

// @ts-expect-error: a gateway has to be told who may use it and where requests are answered.
createGateway({})
