import { Resolver } from 'node:dns/promises'
import type { Gateway } from '@sluice/core'
import type { ImageFetcherOptions } from '@sluice/node'
import { startUpstream, steps } from '@sluice/testing'
import { expect, it, vi } from 'vitest'
import { describePage } from './runner/describe-page.ts'
import { tableUnder } from './runner/markdown.ts'

const page = 'docs/images.md'

/** Gemini, played by a script. */
const startGemini = () =>
  startUpstream(
    steps.reply({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'A dot.' }] }, finishReason: 'STOP', index: 0 },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    }),
  )

/** Sends an image, as it may stand in a message. */
async function send(url: string, ask: typeof fetch, baseURL = 'http://sluice.test/v1') {
  const response = await ask(
    new Request(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'flash',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      }),
    }),
  )
  const { error, choices } = await response.json()
  return { status: response.status, error, text: choices?.[0].message.content }
}

describePage(page, {
  fetching: async ({ run }) => {
    const google = await startGemini()
    const running = await run({ GEMINI_API_KEY: 'key-g', GEMINI_BASE_URL: google.url })
    const url = `${await running.url(3000)}/v1`
    expect(await send('data:image/png;base64,iVBORw0KGgo=', fetch, url)).toMatchObject({
      status: 200,
      text: 'A dot.',
    })
    const four = vi
      .spyOn(Resolver.prototype, 'resolve4')
      .mockImplementation(async () => ['10.0.0.7'] as never)
    const six = vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(async () => [] as never)
    for (const link of [
      'https://other.example/a.png',
      'https://10.0.0.7/',
      'https://a.b.cdn.example/a.png',
    ]) {
      const got = await send(link, fetch, url)
      expect(got).toMatchObject({
        status: 400,
        error: { code: 'invalid_image_url', param: 'messages[0].content[0].image_url.url' },
      })
    }
    expect(four.mock.calls).toEqual([['a.b.cdn.example']])
    expect(running.printed).toEqual(
      [
        "The image's host, with its port, is not one of the allowed hosts.",
        "The image's host, with its port, is not one of the allowed hosts.",
        "The image's host has an address that is not public.",
      ].flatMap(reason => ['The image could not be fetched from its URL.', reason]),
    )
    expect(google.requests).toHaveLength(1)
    four.mockRestore()
    six.mockRestore()
    await google.close()
  },

  'own-fetcher': async ({ run }) => {
    const google = await startGemini()
    const running = await run({ GEMINI_API_KEY: 'key-g', GEMINI_BASE_URL: google.url })
    const gateway = running.exports.gateway as Gateway
    const ask = gateway.fetch as typeof fetch
    expect(await send('https://app.example/uploads/7', ask)).toMatchObject({ status: 200, text: 'A dot.' })
    expect(JSON.stringify(google.requests[0]?.json)).toContain('"data":"iVBORw0KGgo="')
    expect(await send('https://app.example/uploads/8', ask)).toMatchObject({
      status: 400,
      error: { code: 'invalid_image_url', message: 'There is no such upload.' },
    })
    await gateway.close()
    await google.close()
  },
})

it('names the options that there are', () => {
  const options: Record<keyof ImageFetcherOptions, true> = {
    hosts: true,
    maxBytes: true,
    maxImages: true,
    maxTotalBytes: true,
    timeoutMs: true,
  }
  const names = tableUnder(page, '## Fetching images by URL').map(([name = '']) => name.replaceAll('`', ''))
  expect(names).toEqual(Object.keys(options))
})
