import {
  type ChunkBatch,
  fetchTransport,
  type UpstreamRequest,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { anthropic, openaiCompatible } from '@sluice/providers'
import { startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { nativeCall } from '../native-call.ts'

const text =
  '{"model":"public", "stream":true, "n":1.0, "messages":[{"role":"user","content":"\\u00e9\\ud83d\\ude00"}]}'
const events = [
  '{"type":"message_start","message":{"id":"msg_1","content":[],"usage":{"input_tokens":1}}}',
  '{"type":"ping"}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé 雨"}}',
  '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
  '{"type":"message_stop"}',
]

it.each([
  ['anthropic', (url: string) => anthropic({ apiKey: 'the-key', baseURL: url })],
  [
    'a compatible server',
    (url: string) =>
      openaiCompatible({ name: 'a', baseURL: `${url}/v1`, apiKey: 'the-key', speaks: ['messages'] }),
  ],
])('a request is passed on and its stream passed back over a socket: %s', async (_, vendor) => {
  const body = events.map(data => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join('')
  const head = steps.head({ headers: { 'content-type': 'text/event-stream' } })
  const upstream = await startUpstream([head, steps.body(body), steps.end()])
  const transport = fetchTransport()
  onTestFinished(() => upstream.close())
  const { provider } = vendor(upstream.url)
  const call = nativeCall(text, { model: 'their-model', headers: { 'anthropic-beta': 'a, b' } })
  const request = (await provider.encodeNative!(call)) as UpstreamRequest
  const response = await transport(request, new AbortController().signal)
  const unread = () => Promise.reject(new Error('A stream is read event by event.'))
  const whole: UpstreamResponse = { ...response, headers: response.headers, text: unread }
  const reply = await provider.decodeNative!(whole, call)
  if (reply.kind !== 'stream') throw new Error('No stream.')
  const batches: ChunkBatch[] = []
  for await (const batch of reply.chunks) batches.push(batch)

  const [sent] = upstream.requests
  expect(sent?.path).toBe('/v1/messages')
  expect(sent?.json).toEqual({ ...JSON.parse(text), model: 'their-model' })
  expect(sent?.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a, b' })
  expect(sent?.headers).toMatchObject(
    provider.name === 'anthropic' ? { 'x-api-key': 'the-key' } : { authorization: 'Bearer the-key' },
  )
  expect(batches.flatMap(({ native = [] }) => native).map(({ data }) => data)).toEqual(events)
})
