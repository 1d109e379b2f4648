import { splitBytes } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../../packages/console/ui/server/read-events.ts'

const text = ': live\n\nevent: request\ndata: {"a":"ü"}\n\ndata: one\r\ndata: two\r\n\r\ndata: [DONE]\n\n'

async function read(pieces: Iterable<Uint8Array>) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const events = []
  for await (const event of readEvents(body)) events.push(event)
  return events
}

describe('readEvents', () => {
  it.each(['whole', 'bytes'] as const)('reads events that come in %s, and keeps their text', async split => {
    expect(await read(splitBytes(new TextEncoder().encode(text), split))).toEqual([
      { name: 'request', data: '{"a":"ü"}', raw: 'event: request\ndata: {"a":"ü"}' },
      { name: 'message', data: 'one\ntwo', raw: 'data: one\r\ndata: two' },
      { name: 'message', data: '[DONE]', raw: 'data: [DONE]' },
    ])
  })

  it('leaves out an event that has not ended', async () => {
    expect(await read([new TextEncoder().encode('data: whole\n\ndata: cut')])).toHaveLength(1)
  })

  it('ends the body where nobody reads on', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new TextEncoder().encode('data: more\n\n')),
      cancel: () => {
        cancelled = true
      },
    })
    for await (const _ of readEvents(body)) break
    await expect.poll(() => cancelled).toBe(true)
  })
})
