import type { RecordedBodies } from '@sluice/core/store'

/** A stored request cannot be sent again. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError'
}

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Returns the body with which a stored request is sent again. Of the Responses API it contains the conversation that the request
 * continued, and neither is stored nor runs in the background. Throws `ReplayError` if the request is not stored, or `redact` made it
 * invalid.
 */
export function replayBody({ requestId, dialect, request }: RecordedBodies): string {
  if (request === undefined) {
    throw new ReplayError(
      `The request ${requestId} is not stored, because it is larger than maxBytes: it cannot be replayed.`,
    )
  }
  const body = objectOf(request)
  if (body === undefined) {
    throw new ReplayError(
      `The request ${requestId} cannot be replayed: redact has changed it to something else than a JSON object.`,
    )
  }
  if (dialect !== 'responses') return request
  const { previous_response_id: _, background: __, ...rest } = body
  return JSON.stringify({ ...rest, store: false })
}

/**
 * Returns the text of a response: that of its message with its tool calls, joined if it is a stream. Of an error, of embeddings, and of
 * what it does not know, it returns the body as it is.
 */
export function responseText(response: string): string {
  const whole = objectOf(response)
  const parts = whole === undefined ? eventsOf(response).flatMap(eventTexts) : completeTexts(whole)
  return parts.length === 0 ? response : parts.join('')
}

function objectOf(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter(each => each !== undefined) : []
}

/** The data of server-sent events that are JSON objects. */
function eventsOf(stream: string): readonly JsonObject[] {
  return stream
    .split('\n')
    .filter(line => line.startsWith('data:'))
    .map(line => objectOf(line.slice('data:'.length)))
    .filter(event => event !== undefined)
}

function completeTexts({ choices, content, output }: JsonObject): readonly string[] {
  return [
    // Chat completions.
    ...objectsOf(choices).flatMap(({ message }) => messageTexts(asObject(message) ?? {})),
    // Messages.
    ...objectsOf(content).flatMap(({ type, text, name, input }) =>
      type === 'tool_use' ? toolCall(name, JSON.stringify(input)) : texts(text),
    ),
    // Responses.
    ...objectsOf(output).flatMap(({ type, content: parts, name, arguments: given, input }) =>
      type === 'message'
        ? objectsOf(parts).flatMap(({ text, refusal }) => texts(text, refusal))
        : toolCall(name, given ?? input),
    ),
  ]
}

function messageTexts({ content, refusal, tool_calls }: JsonObject): readonly string[] {
  const calls = objectsOf(tool_calls).flatMap(({ function: called }) => {
    const { name, arguments: given } = asObject(called) ?? {}
    return toolCall(name, given)
  })
  return [...texts(content, refusal), ...calls]
}

function eventTexts(event: JsonObject): readonly string[] {
  const { type, choices, delta, content_block, item, error } = event
  if (error !== undefined && error !== null) return [`\n${JSON.stringify(event)}`]
  if (Array.isArray(choices)) {
    return objectsOf(choices).flatMap(choice => deltaTexts(asObject(choice.delta) ?? {}))
  }
  // Messages: a text, or the arguments of the call that has begun.
  if (type === 'content_block_start') return callStart(asObject(content_block) ?? {}, 'tool_use')
  if (type === 'content_block_delta') {
    const { text, partial_json } = asObject(delta) ?? {}
    return texts(text, partial_json)
  }
  // Responses.
  if (type === 'response.output_item.added') return callStart(asObject(item) ?? {}, 'function_call')
  const isText = /^response\.(?:output_text|refusal|function_call_arguments)\.delta$/.test(String(type))
  return isText ? texts(delta) : []
}

function deltaTexts({ content, refusal, tool_calls }: JsonObject): readonly string[] {
  const calls = objectsOf(tool_calls).flatMap(({ function: called }) => {
    const { name, arguments: given } = asObject(called) ?? {}
    return [...(typeof name === 'string' ? [`\n${name} `] : []), ...texts(given)]
  })
  return [...texts(content, refusal), ...calls]
}

function callStart({ type, name }: JsonObject, expected: string): readonly string[] {
  return type === expected && typeof name === 'string' ? [`\n${name} `] : []
}

function toolCall(name: unknown, given: unknown): readonly string[] {
  return typeof name === 'string' ? [`\n${name} ${typeof given === 'string' ? given : ''}`] : []
}

function texts(...values: readonly unknown[]): readonly string[] {
  return values.filter(value => typeof value === 'string')
}
