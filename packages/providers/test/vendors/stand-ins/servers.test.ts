import { afterEach, expect, it } from 'vitest'
import { anthropicStandIn } from './anthropic.ts'
import { azureStandIn } from './azure.ts'
import { bedrockStandIn } from './bedrock.ts'
import { geminiStandIn } from './gemini.ts'
import { openaiStandIn } from './openai.ts'
import type { StandIn } from './stand-in.ts'
import { vertexStandIn } from './vertex.ts'

let standIn: StandIn | undefined
afterEach(() => standIn?.close())

const generate = '/v1beta/models/gemini-2.5-flash:generateContent'
const vertex = '/v1/projects/my-project/locations/us-east5/publishers/google/models/gemini-2.5-flash'
const converse = '/model/amazon.nova-lite-v1%3A0/converse'
const scope = 'Credential=ACCESSKEYOFASTANDIN/20260101/us-east-1/bedrock/aws4_request'
const forged = `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`

it.each([
  [
    'no key',
    '/v1/messages',
    anthropicStandIn,
    {},
    401,
    { type: 'error', error: { type: 'authentication_error' } },
  ],
  ['no version', '/v1/messages', anthropicStandIn, { 'x-api-key': 'anthropic-key' }, 400, { type: 'error' }],
  ['no key', '/v1/chat/completions', openaiStandIn, {}, 401, { error: { code: 'invalid_api_key' } }],
  ['no key', '/openai/v1/chat/completions', azureStandIn, {}, 401, { error: { code: '401' } }],
  [
    'no version',
    '/openai/deployments/x/chat/completions',
    azureStandIn,
    { 'api-key': 'azure-key' },
    404,
    { error: { code: '404' } },
  ],
  ['no key', generate, geminiStandIn, {}, 403, { error: { code: 403, status: 'PERMISSION_DENIED' } }],
  [
    'a wrong key',
    generate,
    geminiStandIn,
    { 'x-goog-api-key': 'x' },
    400,
    { error: { status: 'INVALID_ARGUMENT' } },
  ],
  ['a key in the URL', `${generate}?key=gemini-key`, geminiStandIn, {}, 404, { error: { code: 404 } }],
  ['no token', `${vertex}:generateContent`, vertexStandIn, {}, 401, { error: { status: 'UNAUTHENTICATED' } }],
  ['no token', converse, bedrockStandIn, {}, 403, { message: 'Missing Authentication Token' }],
  ['a wrong token', converse, bedrockStandIn, { authorization: 'Bearer x' }, 403, { message: /API Key/ }],
  [
    'a forged signature',
    converse,
    bedrockStandIn,
    { authorization: forged },
    403,
    { message: /security token/ },
  ],
  [
    'an old signature',
    converse,
    bedrockStandIn,
    { authorization: forged, 'x-amz-security-token': 'session+token/of==', 'x-amz-date': '20260101T000000Z' },
    403,
    { message: /expired/ },
  ],
] as const)('refuses %s: %s', async (_, path, start, headers, status, body) => {
  standIn = await start()
  const response = await fetch(standIn.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  })
  expect(response.status).toBe(status)
  const told = (await response.json()) as Record<string, unknown>
  if ('message' in body) expect(told.message).toMatch(body.message)
  else expect(told).toMatchObject(body)
  expect(standIn.refused).toHaveLength(1)
})
