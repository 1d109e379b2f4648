/** A message as a client puts it together from a stream. */
export interface ReadMessage {
  readonly id: string
  readonly model: string
  readonly content: readonly Record<string, unknown>[]
  /** By the index of the block: the text of the input of a call, as its pieces have it. */
  readonly inputs: readonly string[]
  readonly stop_reason: string | null
  readonly stop_sequence: string | null
  readonly stop_details: unknown
  readonly startUsage: Record<string, unknown>
  readonly usage: Record<string, unknown>
  /** The types of all events, in order. */
  readonly types: readonly string[]
  /** The error that ended the stream, if it did not end by itself. */
  readonly error?: { readonly type: string; readonly message: string } | undefined
}

const deltaTypes: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
}

interface Event {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
  readonly [member: string]: any
}

/** Splits a stream into its events. Throws for an event whose name is not its type, and for anything else than events. */
export function messageEvents(text: string): Event[] {
  if (text === '') return []
  check(text.endsWith('\n\n'), 'the last event has no end')
  return text
    .slice(0, -2)
    .split('\n\n')
    .filter(event => !event.startsWith(':'))
    .map(event => {
      const [name, data, ...rest] = event.split('\n')
      check(
        name!.startsWith('event: ') && data!.startsWith('data: ') && rest.length === 0,
        `odd event: ${event}`,
      )
      const value = JSON.parse(data!.slice(6)) as Event
      check(value.type === name!.slice(7), `the event ${name} is of type ${value.type}`)
      return value
    })
}

/**
 * Reads a stream of the Messages API as a strict client: one block is open at a time, indices have no gap, and each delta is of
 * the kind of its block. Throws `Error` for anything else.
 */
export function readMessageStream(text: string): ReadMessage {
  const events = messageEvents(text)
  const [start, ...rest] = events
  check(start?.type === 'message_start', 'the first event is no message_start')
  const { message } = start!
  check(message.content.length === 0 && message.stop_reason === null, 'the message begins with something')
  check(message.usage.input_tokens > 0, 'the message begins without tokens of its prompt')
  const content: Record<string, unknown>[] = []
  const inputs: string[] = []
  let open: string | undefined
  let end: Event | undefined
  let stopped = false
  let error: ReadMessage['error']
  let signed = false
  for (const event of rest) {
    check(!stopped && error === undefined, `${event.type} after the end`)
    check(
      end === undefined || event.type === 'message_stop' || event.type === 'error',
      `${event.type} after message_delta`,
    )
    switch (event.type) {
      case 'ping':
        break
      case 'content_block_start':
        check(open === undefined, 'two blocks are open')
        check(event.index === content.length, `a block begins with index ${event.index}`)
        open = event.content_block.type
        check(Object.hasOwn(deltaTypes, open!), `a block of type ${open}`)
        content.push({ ...event.content_block })
        inputs.push('')
        signed = false
        break
      case 'content_block_delta': {
        const block = content[event.index]
        check(event.index === content.length - 1 && open !== undefined, 'a delta of a block that is not open')
        const { delta } = event
        check(deltaTypes[open!]!.includes(delta.type), `${delta.type} in a block of type ${open}`)
        check(!signed, 'a delta after the signature')
        if (delta.type === 'text_delta') block!.text += delta.text
        if (delta.type === 'thinking_delta') block!.thinking += delta.thinking
        if (delta.type === 'signature_delta') {
          block!.signature = delta.signature
          signed = true
        }
        if (delta.type === 'input_json_delta') inputs[event.index] += delta.partial_json
        break
      }
      case 'content_block_stop':
        check(open !== undefined && event.index === content.length - 1, 'a block ends that is not open')
        open = undefined
        break
      case 'message_delta':
        check(open === undefined, 'a block is open at the end')
        end = event
        break
      case 'message_stop':
        check(end !== undefined, 'message_stop without message_delta')
        stopped = true
        break
      case 'error':
        error = event.error
        break
      default:
        check(false, `an event of type ${event.type}`)
    }
  }
  check(stopped || error !== undefined, 'the stream has no end')
  if (stopped && end!.delta.stop_reason !== 'max_tokens') {
    for (const [index, block] of content.entries()) {
      if (block.type === 'tool_use') block.input = JSON.parse(inputs[index] || '{}')
    }
  }
  return {
    id: message.id,
    model: message.model,
    content,
    inputs,
    stop_reason: end?.delta.stop_reason ?? null,
    stop_sequence: end?.delta.stop_sequence ?? null,
    stop_details: end?.delta.stop_details ?? null,
    startUsage: message.usage,
    usage: end?.usage ?? {},
    types: events.map(({ type }) => type),
    error,
  }
}

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Invalid stream: ${what}.`)
}
