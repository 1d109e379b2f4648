import { type RawExchange, readSse } from '@sluice/testing'
import { expect } from 'vitest'
import { type Asking, Site } from '../site.ts'

/** The base request of the Messages API. */
export const baseMessage = {
  model: 'chat',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello!' }],
}

/** A gateway that was mounted for one test, asked by raw sockets in the dialects beside chat completions. */
export class InboundSite extends Site {
  /** Asks for a message: the base request with these fields in place of its own; `undefined` takes one out. */
  message(fields: object = {}, asking: Asking = {}): Promise<RawExchange> {
    return this.send('/messages', { method: 'POST', body: { ...baseMessage, ...fields }, ...asking })
  }

  /** Asks for the number of tokens of the base request with these fields in place of its own. */
  count(fields: object = {}, asking: Asking = {}): Promise<RawExchange> {
    const body = { ...baseMessage, max_tokens: undefined, ...fields }
    return this.send('/messages/count_tokens', { method: 'POST', body, ...asking })
  }

  /** Asks for a response: to a text, with these fields in place of the usual ones. */
  respond(fields: object = {}, asking: Asking = {}): Promise<RawExchange> {
    return this.send('/responses', {
      method: 'POST',
      body: { model: 'chat', input: 'Hello!', ...fields },
      ...asking,
    })
  }

  /** Asks for embeddings of a text, with these fields in place of the usual ones. */
  embed(fields: object = {}, asking: Asking = {}): Promise<RawExchange> {
    return this.send('/embeddings', {
      method: 'POST',
      body: { model: 'e', input: 'Hello!', ...fields },
      ...asking,
    })
  }
}

/** A block of a message. */
export interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}

/** A message that answers a request. */
export interface Message {
  readonly id: string
  readonly type: string
  readonly role: string
  readonly model: string
  readonly content: readonly Block[]
  readonly stop_reason: string | null
  readonly stop_sequence: string | null
  readonly stop_details: unknown
  readonly container: unknown
  readonly usage: Readonly<Record<string, unknown>>
}

/** The message of an answer. */
export function messageOf(answer: RawExchange): Message {
  expect(answer.status, answer.body).toBe(200)
  expect(answer.complete).toBe(true)
  return answer.json as unknown as Message
}

/** An event of a streamed message. */
export interface MessageEvent {
  readonly type: string
  readonly index?: number
  readonly message?: Message
  readonly content_block?: Block
  readonly delta?: Readonly<Record<string, unknown>>
  readonly usage?: Readonly<Record<string, unknown>>
  readonly error?: { readonly type: string; readonly message: string }
  readonly request_id?: string
}

/** The events of a streamed message. Each has its name on a line of its own, and again in its data. */
export async function eventsOf(answer: RawExchange): Promise<readonly MessageEvent[]> {
  expect(answer.status, answer.body).toBe(200)
  const { events } = await readSse(answer.bytes, { allow: ['event'] })
  return events.map(({ event, data }) => {
    const value = JSON.parse(data) as MessageEvent
    expect(value.type).toBe(event)
    return value
  })
}

/**
 * Builds the message of a stream as a client does, and holds the stream to the protocol: one block is open at a time, indexes
 * have no gap, and every delta is of the kind of the open block.
 */
export function messageFrom(events: readonly MessageEvent[]): Message {
  const [start, ...others] = events
  expect(start?.type).toBe('message_start')
  expect(start?.message).toMatchObject({ type: 'message', role: 'assistant', content: [], stop_reason: null })
  const content: (Block & { json?: string })[] = []
  let message = start!.message!
  let open: (Block & { json?: string }) | undefined
  let ended = false
  for (const { type, index, content_block: block, delta, usage } of others) {
    expect(ended).toBe(false)
    switch (type) {
      case 'ping':
        break
      case 'content_block_start':
        expect(open).toBeUndefined()
        expect(index).toBe(content.length)
        open = { ...block!, json: '' }
        content.push(open)
        break
      case 'content_block_delta':
        expect(index).toBe(content.length - 1)
        open = withDelta(open!, delta!)
        content[content.length - 1] = open
        break
      case 'content_block_stop':
        expect(index).toBe(content.length - 1)
        expect(open).toBeDefined()
        open = undefined
        break
      case 'message_delta':
        expect(open).toBeUndefined()
        message = { ...message, ...delta, usage: { ...message.usage, ...usage } }
        break
      default:
        expect(type).toBe('message_stop')
        ended = true
    }
  }
  expect(ended).toBe(true)
  return { ...message, content: content.map(finished) }
}

function withDelta(
  open: Block & { json?: string },
  delta: Readonly<Record<string, unknown>>,
): Block & { json?: string } {
  switch (delta.type) {
    case 'text_delta':
      expect(open.type).toBe('text')
      return { ...open, text: `${open.text}${delta.text}` }
    case 'thinking_delta':
      expect(open.type).toBe('thinking')
      expect(open.signature).toBe('')
      return { ...open, thinking: `${open.thinking}${delta.thinking}` }
    case 'signature_delta':
      expect(open.type).toBe('thinking')
      return { ...open, signature: `${open.signature}${delta.signature}` }
    default:
      expect(delta.type).toBe('input_json_delta')
      expect(open.type).toBe('tool_use')
      return { ...open, json: `${open.json}${delta.partial_json}` }
  }
}

function finished({ json, ...block }: Block & { json?: string }): Block {
  if (block.type !== 'tool_use') return block
  expect(block.input).toEqual({})
  return json === '' ? block : { ...block, input: JSON.parse(json!) }
}

/** Holds an answer to be an error in the shape of the Messages API, with these members and no other. */
export function expectMessagesError(
  answer: RawExchange,
  status: number,
  type: string,
  message: string | RegExp = /\S/,
): void {
  expect(answer.status, answer.body).toBe(status)
  expect(answer.complete).toBe(true)
  const { headers } = answer
  expect(headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/)
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
  const said = typeof message === 'string' ? message : expect.stringMatching(message)
  expect(answer.json).toEqual({
    type: 'error',
    error: { type, message: said },
    request_id: headers['x-request-id'],
  })
  expect(headers['request-id']).toBe(headers['x-request-id'])
}
