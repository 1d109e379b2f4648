import { type Target, UpstreamError } from '@sluice/core'
import type { Provider } from '@sluice/core/provider'
import { anthropic, azure, bedrock, gemini, openaiCompatible, vertex } from '@sluice/providers'
import { type Script, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { printed, tracesOf } from './harness/traces.ts'
import { upstreamDuring } from './harness/upstream.ts'

const keys = {
  'a usual key': 'sk-proj-Canary0a1B2c3D4e5F6g7H8',
  'hexadecimal digits': 'c0ffee0123456789abcdef9876543210',
  'a UUID': '7d3c1f0e-55aa-4b1c-9d2e-0123456789ab',
  'plain letters': 'correcthorsebatterystaple',
  'signs that need an escape': 'pa"ss/w+rd=%41 &~\\x-canary',
}

/** Ways to repeat a key in a text. */
const repeats: Readonly<Record<string, (key: string) => string>> = {
  'as it is': key => `Unknown value: ${key}. You can find yours elsewhere.`,
  'without a word before it': key => `${key} is bad`,
  'in quotes': key => `Got '${key}', and "${key}", and \`${key}\``,
  'its beginning': key => `Key ${key.slice(0, 12)}... is bad`,
  'its first 8 characters': key => `Key ${key.slice(0, 8)} is bad`,
  'percent-encoded': key => `GET /models?alt=sse&key=${encodeURIComponent(key)} failed`,
  'a URL of ours': key => `https://vendor.test/v1/models?key=${key} failed`,
  'in JSON': key => `headers: ${JSON.stringify({ authorization: `Bearer ${key}`, other: 1 })}`,
  'in JSON in JSON': key => JSON.stringify(JSON.stringify({ k: key })),
  'in base64': key => `sent ${Buffer.from(key).toString('base64')}`,
  'in base64 with its scheme': key => `sent ${Buffer.from(`Bearer ${key}`).toString('base64url')}`,
  'in hexadecimal digits': key => `sent ${Buffer.from(key).toString('hex')} over`,
  'in capitals': key => `KEY ${key.toUpperCase()} IS BAD`,
}

const errorBody = (words: string, more: object = {}) => ({
  error: { message: words, type: 'invalid_request_error', param: null, code: null, ...more },
})

/** Asks for an answer, streamed or not, and gives all that came out: to the caller, and to the log. */
async function told(
  mount: Mount,
  target: Target | ((baseURL: string) => Target),
  script: Script,
  streaming = false,
) {
  const upstream = await upstreamDuring(script)
  const entry = typeof target === 'function' ? target(upstream.url) : target
  const { site, end, events } = await startService(mount, { models: { m: entry } })
  const answer = await site.chat({ model: 'm', stream: streaming })
  await end()
  expect(answer.received.length).toBeLessThan(4_096)
  expect(upstream.requests).toHaveLength(1)
  return {
    text: Buffer.from(answer.received).toString('latin1'),
    log: printed(events),
    status: answer.status,
  }
}

const openTo = (apiKey: string) => (url: string) =>
  openaiCompatible({ name: 'vendor', baseURL: `${url}/v1`, apiKey })('its-model')

function expectNoTrace(key: string, { text, log }: { text: string; log: string }) {
  expect(tracesOf(key, text), 'in what the caller got').toEqual([])
  expect(tracesOf(key, log), 'in what is logged').toEqual([])
}

const hexKey = keys['hexadecimal digits']
const vendors: Readonly<Record<string, (url: string) => Target>> = {
  anthropic: baseURL => anthropic({ apiKey: hexKey, baseURL })('claude-sonnet-4-20250514'),
  gemini: baseURL => gemini({ apiKey: hexKey, baseURL })('gemini-2.5-flash'),
  vertex: baseURL =>
    vertex({ project: 'p', location: 'global', tokenProvider: () => hexKey, baseURL })('gemini-2.5-flash'),
  bedrock: baseURL => bedrock({ region: 'us-east-1', bearerToken: hexKey, baseURL })('amazon.nova-lite-v1:0'),
  azure: baseURL => azure({ baseURL, apiKey: hexKey })('my-deployment'),
  'a provider of their own': baseURL => ({ provider: ownProvider(baseURL), model: 'm' }),
}

/** Puts the vendor's words where they do not belong: into the message, and into a parser's error. */
function ownProvider(baseURL: string): Provider {
  return {
    name: 'own',
    encode: () => ({ method: 'POST', url: `${baseURL}/own`, headers: { 'x-own-key': hexKey }, body: '{}' }),
    decode: async response => {
      const text = await response.text()
      if (response.status === 400) throw new UpstreamError(text, { kind: 'refused', status: 400, code: text })
      return JSON.parse(`${hexKey} ${text}`)
    },
  }
}

describe('F77 a vendor repeats our key in its error', () => {
  overServers(mount => {
    describe.each(Object.entries(keys))('%s', (_, key) => {
      it.each(Object.entries(repeats))('%s', async (_, repeat) => {
        const words = repeat(key)
        const script = steps.reply(errorBody(words, { code: words, param: words, type: words }), {
          status: 400,
        })
        const result = await told(mount, openTo(key), script)
        expect(result.status).toBe(400)
        expectNoTrace(key, result)
      })
    })

    const key = hexKey
    const words = Object.values(repeats)
      .map(repeat => repeat(key))
      .join('\n')

    it.each([401, 403, 404, 413, 422, 429, 500, 503])('with status %i', async status => {
      expectNoTrace(key, await told(mount, openTo(key), steps.reply(errorBody(words), { status })))
    })

    it.each([
      ['in the first event of a stream', sse([errorBody(words, { status_code: 400 })], { done: false })],
      [
        'after the first content',
        sse([{ choices: [{ index: 0, delta: { content: 'a' } }] }, errorBody(words)]),
      ],
      ['in an event that is no JSON', [`data: {"key":"${key}\n\n`, `data: ${key}\n\n`]],
    ])('%s', async (_, events) => {
      expectNoTrace(key, await told(mount, openTo(key), steps.stream(events), true))
    })

    it.each([
      ['a page', steps.reply(`<html>${words}</html>`, { headers: { 'content-type': 'text/html' } })],
      ['no JSON', steps.reply(`${key} {"error":`, { headers: { 'content-type': 'application/json' } })],
      ['no JSON, as an error', steps.reply(key, { status: 400 })],
      [
        'a header',
        steps.reply(errorBody('no'), { status: 429, headers: { 'retry-after': key, 'x-key': key } }),
      ],
    ])('in %s', async (_, script) => {
      expectNoTrace(key, await told(mount, openTo(key), script))
    })

    describe.each(Object.entries(vendors))('%s', (_, target) => {
      it.each([400, 500])('with status %i', async status => {
        const words = `The key ${key} is bad. ${btoa(key)}`
        const body = { ...errorBody(words), message: words }
        expectNoTrace(key, await told(mount, target, steps.reply(body, { status })))
      })
    })
  })
})
