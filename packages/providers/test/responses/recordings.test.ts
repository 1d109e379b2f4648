import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { foldChunks } from '@sluice/core/provider'
import { openai } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { cut, decodedBy, seeded } from '../decoded-recording.ts'

// Recorded answers of OpenAI's Responses API, read as answers to translated requests.

const folder = new URL('../../../../../shared/inbound/responses/', import.meta.url)
const names = existsSync(folder)
  ? readdirSync(folder).filter(name => name.startsWith('openai-') && !name.includes('.request.'))
  : []
const wholes = names.filter(
  name => name.endsWith('.json') && !/\.\d{3}\.json$/.test(name) && !isCompaction(name),
)
const streams = names.filter(name => name.endsWith('.sse'))
const errors = names.filter(name => /\.\d{3}\.json$/.test(name))

const { provider, capabilities = {} } = openai({ apiKey: 'k' })('gpt-5')
const decode: typeof provider.decode = (response, call) =>
  provider.decode(response, { ...call, capabilities })

/** Whether it is the answer of another endpoint, which shortens a conversation. */
function isCompaction(name: string): boolean {
  return readFileSync(new URL(name, folder), 'utf8').includes('"object": "response.compaction"')
}

type Json = Record<string, unknown>

/** What a recorded response says, read by nothing of the project. */
function saidBy({ output, usage, model }: Json) {
  const items = output as Json[]
  const parts = items.flatMap(({ type, content }) => (type === 'message' ? (content as Json[]) : []))
  const counts = usage as Json | null
  return {
    model,
    text: parts.map(({ text = '' }) => text).join(''),
    refusal: parts.map(({ refusal = '' }) => refusal).join(''),
    calls: items.flatMap(({ type, name, call_id: id, arguments: text, input }) =>
      type === 'function_call' || type === 'custom_tool_call' ? [[id, name, text ?? input]] : [],
    ),
    thought: items
      .filter(({ type }) => type === 'reasoning')
      .map(({ summary, content }) =>
        [...((summary ?? []) as Json[]), ...((content ?? []) as Json[])].map(({ text }) => text).join('\n\n'),
      )
      .join(''),
    encrypted: items.flatMap(({ type, id, encrypted_content: data }) =>
      type === 'reasoning' && typeof data === 'string' && data !== '' ? [[id, data]] : [],
    ),
    links: parts.flatMap(({ annotations = [] }) =>
      (annotations as Json[]).flatMap(({ type, url }) => (type === 'url_citation' ? [url] : [])),
    ),
    prompt: counts?.input_tokens,
    completion: counts?.output_tokens,
    cached: (counts?.input_tokens_details as Json | undefined)?.cached_tokens,
    reasoning: (counts?.output_tokens_details as Json | undefined)?.reasoning_tokens,
  }
}

/** What the provider read, in the same words. */
function readFrom(completion: ReturnType<typeof foldChunks>) {
  const { model, usage, choices } = completion
  const message = choices[0]!.message
  return {
    model,
    text: message.content ?? '',
    refusal: message.refusal ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: called, custom }) => [
      id,
      (called ?? custom)?.name,
      called?.arguments ?? custom?.input ?? '',
    ]),
    thought: message.reasoning_content ?? '',
    encrypted: (message.reasoning_details ?? []).map(({ id, data }) => [id, data]),
    links: (message.annotations ?? []).map(({ url_citation: link }) => (link as Json).url),
    prompt: usage?.prompt_tokens,
    completion: usage?.completion_tokens,
    cached: usage?.cached_tokens,
    reasoning: usage?.reasoning_tokens,
  }
}

const bytesOf = (name: string) => readFileSync(new URL(name, folder))

describe.skipIf(names.length === 0)('recorded answers (skipped where ../shared/inbound is absent)', () => {
  it('are there', () => {
    expect(wholes.length).toBeGreaterThan(100)
    expect(streams.length).toBeGreaterThan(10)
  })

  it.each(wholes)('%s', async name => {
    const bytes = bytesOf(name)
    const recorded = JSON.parse(bytes.toString()) as Json
    const { completion, failure } = await decodedBy(decode, { status: 200, stream: false }, [bytes])
    if (recorded.status === 'queued' || recorded.status === 'in_progress') {
      expect(failure).toMatchObject({ kind: 'garbled' })
      return
    }
    expect(failure).toBeUndefined()
    expect(readFrom(completion!)).toEqual(saidBy(recorded))
  })

  it.each(streams)('%s', async name => {
    const bytes = bytesOf(name)
    const events = bytes
      .toString()
      .split(/\r?\n/)
      .flatMap(line => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Json] : []))
    const last = events.findLast(({ response }) => response !== undefined)!
    const { chunks, failure } = await decodedBy(decode, { status: 200, stream: true }, [bytes])
    expect(failure).toBeUndefined()
    // What is encrypted is encrypted anew in the last event.
    const output = events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
    expect(readFrom(foldChunks(chunks!))).toEqual(saidBy({ ...(last.response as Json), output }))
    for (const seed of [1, 2, 3]) {
      const random = seeded(seed)
      const pieces = cut(bytes, () => 1 + Math.floor(random() * 300))
      const divided = await decodedBy(decode, { status: 200, stream: true }, pieces)
      expect(divided).toEqual({ chunks })
    }
    const half = await decodedBy(decode, { status: 200, stream: true }, [
      bytes.subarray(0, bytes.lastIndexOf('event: response.completed')),
    ])
    expect(half.failure).toMatchObject({ kind: 'truncated' })
  })

  it.each(errors)('%s', async name => {
    const status = Number(/\.(\d{3})\.json$/.exec(name)![1])
    const bytes = bytesOf(name)
    const { error } = JSON.parse(bytes.toString()) as { error: { message: string; code: string | null } }
    const { failure } = await decodedBy(decode, { status, stream: false }, [bytes])
    expect(failure).toMatchObject({ kind: 'refused', status, vendorMessage: error.message })
  })
})
