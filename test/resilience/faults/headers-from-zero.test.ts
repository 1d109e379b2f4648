import type { Target } from '@sluice/core'
import { anthropic, azure, bedrock, gemini, openai, openaiCompatible, vertex } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const mark = 'canary-of-the-caller'

/** Headers that a proxy or another gateway may have passed on. */
const sent: Readonly<Record<string, string>> = Object.fromEntries(
  `cookie proxy-authorization proxy-connection x-api-key api-key x-goog-api-key x-goog-user-project
  openai-organization openai-project openai-beta anthropic-version anthropic-beta x-amz-security-token x-amz-date
  x-amz-content-sha256 x-amzn-bedrock-guardrailidentifier ocp-apim-subscription-key x-ms-client-request-id
  x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-forwarded-prefix x-real-ip forwarded via
  x-request-id x-client-request-id idempotency-key traceparent tracestate baggage origin referer user-agent
  accept-language x-original-url x-rewrite-url x-http-method-override x-portkey-custom-host x-portkey-provider
  x-litellm-api-key helicone-target-url x-stainless-lang x-stainless-retry-count http-referer x-title cf-connecting-ip
  true-client-ip x-auth-token x-hop keep-alive x-sluice-upstream if-none-match range`
    .split(/\s+/)
    .map(name => [name, `${mark}; ${name}`]),
)

const key = 'sk-of-the-service'
const aws = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI', sessionToken: 'session' }

/** Most are asked not to compress. */
const identity = ['accept-encoding']

/** Each vendor, and the names of all headers that it has to be sent, beside those of HTTP itself. */
const vendors: Readonly<Record<string, [(url: string) => Target, string[]]>> = {
  'openai-compatible': [
    url => openaiCompatible({ name: 'v', baseURL: `${url}/v1`, apiKey: key })('m'),
    [...identity, 'authorization'],
  ],
  'openai-compatible without a key': [
    url => openaiCompatible({ name: 'v', baseURL: `${url}/v1` })('m'),
    identity,
  ],
  'openai-compatible with a header': [
    url => openaiCompatible({ name: 'v', baseURL: `${url}/v1`, headers: { 'x-team': 'search' } })('m'),
    [...identity, 'x-team'],
  ],
  openai: [url => openai({ apiKey: key, baseURL: `${url}/v1` })('gpt-4o'), [...identity, 'authorization']],
  azure: [url => azure({ apiKey: key, baseURL: url })('deployment'), [...identity, 'api-key']],
  anthropic: [
    url => anthropic({ apiKey: key, baseURL: url })('claude-sonnet-4-20250514'),
    [...identity, 'anthropic-version', 'x-api-key'],
  ],
  gemini: [url => gemini({ apiKey: key, baseURL: url })('gemini-2.5-flash'), [...identity, 'x-goog-api-key']],
  vertex: [
    url => vertex({ project: 'p', location: 'global', token: key, baseURL: url })('gemini-2.5-flash'),
    [...identity, 'authorization'],
  ],
  'bedrock by token': [
    url => bedrock({ region: 'us-east-1', bearerToken: key, baseURL: url })('amazon.nova-lite-v1:0'),
    ['authorization'],
  ],
  'bedrock by signature': [
    url => bedrock({ region: 'us-east-1', credentials: aws, baseURL: url })('amazon.nova-lite-v1:0'),
    ['authorization', 'x-amz-date', 'x-amz-security-token'],
  ],
}

/** Those of HTTP: what is sent, and over what. */
const ofHttp = ['accept', 'connection', 'content-length', 'content-type', 'host']

describe("F79 a caller's headers come along to the vendor", () => {
  overServers(mount => {
    describe.each(Object.entries(vendors))('%s', (_, [targetAt, names]) => {
      it.each([false, true])('gets its own headers and no others; streamed: %s', async streamed => {
        const upstream = await upstreamDuring(steps.reply({ error: { message: 'no' } }, { status: 400 }))
        const { site, end } = await startService(mount, { models: { m: targetAt(upstream.url) } })
        const headers = { ...sent, connection: 'close, x-hop, authorization, content-type' }
        const answer = await site.chat({ model: 'm', stream: streamed }, { headers })
        expect(answer.status).toBe(400)
        await end()
        const [request] = upstream.requests
        const got = (request?.rawHeaders ?? []).map(([name]) => name.toLowerCase()).sort()
        expect(got).toEqual([...ofHttp, ...names].sort())
        const text = JSON.stringify([request?.rawHeaders, request?.path])
        expect(text).not.toContain(mark)
        expect(text).not.toContain('good-key')
      })
    })

    it('a caller whose key is not known is not asked for by its headers', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const name of ['api-key', 'x-goog-api-key', 'cookie', 'x-auth-token']) {
        const refused = await site.chat({ model: 'm' }, { key: null, headers: { [name]: 'good-key' } })
        expect(refused.status).toBe(401)
      }
      expect(upstream.requests).toHaveLength(0)
    })
  })
})
