import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { apiKeys, createGateway, type EndEvent, models } from '@sluice/core'
import { serve } from '@sluice/node'
import { bedrock, gemini, type ImageFetcher, type ProviderInstance, vertex } from '@sluice/providers'
import { startUpstream, steps } from '@sluice/testing'
import OpenAI, { BadRequestError } from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { guardedFetch } from '../../../node/src/image-fetcher/guarded-fetch.ts'
import { hostRule } from '../../../node/src/image-fetcher/host-rules.ts'
import { imageHost, images, sendImage } from './images/image-host.ts'

interface ByBytes {
  readonly vendor: (baseURL: string, fetchImage?: ImageFetcher) => ProviderInstance
  readonly model: string
  readonly answer: object
  /** An image as the vendor's request holds it. */
  readonly image: (base64: string) => object
}

const fromGoogle = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'A dot.' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
}
const googleImage = (data: string) => ({ inlineData: { mimeType: 'image/png', data } })

const vendors: Readonly<Record<string, ByBytes>> = {
  gemini: {
    vendor: (baseURL, fetchImage) => gemini({ apiKey: 'k', baseURL, fetchImage }),
    model: 'gemini-2.5-flash',
    answer: fromGoogle,
    image: googleImage,
  },
  vertex: {
    vendor: (baseURL, fetchImage) =>
      vertex({ project: 'p', location: 'global', token: 't', baseURL, fetchImage }),
    model: 'gemini-2.5-flash',
    answer: fromGoogle,
    image: googleImage,
  },
  'vertex with Claude': {
    vendor: (baseURL, fetchImage) =>
      vertex({ project: 'p', location: 'global', token: 't', baseURL, fetchImage }),
    model: 'claude-sonnet-4@20250514',
    answer: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'A dot.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2 },
    },
    image: data => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
  },
  bedrock: {
    vendor: (baseURL, fetchImage) => bedrock({ region: 'us-east-1', bearerToken: 't', baseURL, fetchImage }),
    model: 'us.amazon.nova-lite-v1:0',
    answer: {
      output: { message: { role: 'assistant', content: [{ text: 'A dot.' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    },
    image: bytes => ({ image: { format: 'png', source: { bytes } } }),
  },
}

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A service with one of the vendors, a host of images, and the official client. */
async function service({ vendor, model, answer }: ByBytes, fetched?: Answer) {
  const host = await imageHost(fetched ?? ((_request, response) => sendImage(response)))
  const upstream = await startUpstream(steps.reply(answer))
  const world = { lookup: async () => ['127.0.0.1'], isPublic: () => true, ca: host.ca }
  const guards = {
    hosts: [hostRule(`images.example.com:${host.port}`)],
    maxBytes: 100_000,
    timeoutMs: 60_000,
  }
  const fetchImage: ImageFetcher = (url, signal) => guardedFetch(url, signal, guards, world)
  let ended: (event: EndEvent) => void
  const end = new Promise<EndEvent>(resolve => {
    ended = resolve
  })
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
    route: models({ demo: vendor(upstream.url, fetched && fetchImage)(model) }),
    observe: event => {
      if (event.type === 'end') ended(event)
    },
  })
  const serving = await serve(gateway, { port: 0, signals: false })
  open.push(
    () => host.close(),
    () => upstream.close(),
    () => serving.close(),
  )
  const client = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'sk-test', maxRetries: 0 })
  const link = (path: string) => `https://images.example.com:${host.port}/${path}`
  const ask = (paths: readonly string[], signal?: AbortSignal) =>
    client.chat.completions.create(
      {
        model: 'demo',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              ...paths.map(path => ({ type: 'image_url' as const, image_url: { url: link(path) } })),
            ],
          },
        ],
      },
      { signal },
    )
  return { ask, host, upstream, end }
}

async function refusalOf(asked: Promise<unknown>): Promise<BadRequestError> {
  const error = await asked.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(BadRequestError)
  return error as BadRequestError
}

describe.each(Object.entries(vendors))('a link to an image, by %s', (_name, vendor) => {
  const param = 'messages[0].content[1].image_url.url'

  it('is refused while nobody may fetch it', async () => {
    const { ask, host, upstream } = await service(vendor)
    const { message, ...refused } = await refusalOf(ask(['a.png']))
    expect(refused).toMatchObject({ code: 'unsupported_value', param })
    expect(message).toContain('is a link, and this model takes images as data only. Send it as a data URL')
    expect(host.connections).toHaveLength(0)
    expect(upstream.requests).toHaveLength(0)
  })

  it('reaches the vendor as bytes', async () => {
    const { ask, host, upstream } = await service(vendor, (_request, response) => sendImage(response))
    const { choices } = await ask(['a.png', 'b.png'])
    expect(choices[0]?.message.content).toBe('A dot.')
    expect(host.requests.map(({ url }) => url)).toEqual(['/a.png', '/b.png'])
    const sent = JSON.stringify(upstream.requests[0]?.json)
    const image = JSON.stringify(vendor.image(images['image/png'].toString('base64')))
    expect(sent.split(image)).toHaveLength(3)
    expect(sent).not.toContain('images.example.com')
  })

  it('that cannot be had is a 400, and its reason is for the log alone', async () => {
    const { ask, upstream, end } = await service(vendor, (_request, response) => {
      response.writeHead(302, { location: 'https://127.0.0.1/' }).end()
    })
    const refused = await refusalOf(ask(['a.png']))
    expect(refused).toMatchObject({ code: 'invalid_image_url', param })
    expect(refused.message).toBe('400 The image could not be fetched from its URL.')
    const { outcome, error } = await end
    expect(outcome).toBe('refused')
    expect(error).toMatchObject({
      cause: new Error("The image's host answered with a redirect (302), and none is followed."),
    })
    expect(upstream.requests).toHaveLength(0)
  })

  it('is let go when the client leaves', async () => {
    const leaving = new AbortController()
    const { ask, host, upstream, end } = await service(vendor, request => {
      const gone = once(request.socket, 'close')
      leaving.abort()
      open.push(() => gone)
    })
    await expect(ask(['a.png'], leaving.signal)).rejects.toThrow('Request was aborted.')
    await host.idle()
    expect((await end).outcome).toBe('client_disconnected')
    expect(upstream.requests).toHaveLength(0)
  })
})
