import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { apiKeys, createGateway, models } from '@sluice/core'
import { openai } from '@sluice/providers'
import { expect, it, onTestFinished } from 'vitest'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** So many that what the engine keeps for itself, some 200 KiB, is little of each. */
const streams = 80
const kib = 1_024

/** What a collection leaves in bytes: on the heap, and in buffers. */
async function held(): Promise<{ readonly heap: number; readonly buffers: number }> {
  collect()
  await turn()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return { heap: heapUsed, buffers: arrayBuffers }
}

/** A gateway whose upstream sends these events at once, in one write with its head, and nothing more. */
async function silentAfter(...events: readonly string[]): Promise<(prompt: string) => Promise<string>> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(events.map(data => `data: ${data}\n\n`).join(''))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann' }]),
    route: models({ m: openai({ apiKey: 'sk-vendor', baseURL: `http://127.0.0.1:${port}/v1` })('gpt-4o') }),
  })
  onTestFinished(async () => {
    await gateway.close({ drainMs: 0 })
    server.closeAllConnections()
    server.close()
  })
  return async prompt => {
    const response = await gateway.fetch(
      new Request('http://gateway/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: prompt }] }),
      }),
    )
    const reader = response.body!.getReader()
    onTestFinished(() => reader.cancel())
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes('last')) text += decoder.decode((await reader.read()).value, { stream: true })
    return text
  }
}

const event = (content: string) =>
  JSON.stringify({
    ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o' },
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })

it('an open stream keeps no bytes of its request', async () => {
  const open = await silentAfter(event('last'))
  await open('first')
  const before = await held()
  for (let nth = 0; nth < streams; nth++) await open('a'.repeat(200 * kib))
  const { buffers } = await held()
  expect((buffers - before.buffers) / streams).toBeLessThan(20 * kib)
})

it('an open stream keeps nothing of what it has delivered', async () => {
  const events = [
    ...Array.from({ length: 80 }, (_, nth) => event(`${nth} ${'b'.repeat(600)}`)),
    event('last'),
  ]
  const size = events.join('').length
  const open = await silentAfter(...events)
  await open('first')
  const before = await held()
  for (let nth = 0; nth < streams; nth++) await open('a')
  const after = await held()
  const each = (after.heap + after.buffers - before.heap - before.buffers) / streams
  expect(size).toBeGreaterThan(50 * kib)
  // Besides, each has two sockets here, and a `Response`.
  expect(each).toBeLessThan(45 * kib)
})
