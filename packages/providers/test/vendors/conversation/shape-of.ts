import type OpenAI from 'openai'

/** An answer without what differs from one answer to the next: ids, times, and the reasoning. */
export interface Shape {
  readonly keys: string
  readonly messageKeys: string
  readonly content: string | null
  readonly refusal: string | null | undefined
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly finish: string
  readonly usage: unknown
}

/** What a vendor may add, and others need not. */
const extensions = ['reasoning_content', 'reasoning_details']

/**
 * Throws where an id is missing or given twice, or where a type is not the protocol's. The client's helper
 * for streams leaves out a fingerprint that is null, and some vendors name no service tier.
 */
export function shapeOf(completion: OpenAI.ChatCompletion, model: string): Shape {
  const { id, created, choices, usage } = completion
  if (!/^chatcmpl-\w+/.test(id)) throw new Error(`no id of a completion: ${id}`)
  if (Math.abs(created - Date.now() / 1000) > 60) throw new Error(`no time of now: ${created}`)
  if (completion.model !== model) throw new Error(`another model: ${completion.model}`)
  const [choice] = choices
  if (choices.length !== 1 || choice?.index !== 0) throw new Error('not one choice')
  const { message } = choice
  const calls = (message.tool_calls ?? []).map(callOf)
  const ids = new Set(calls.map(call => call.id))
  if (ids.size !== calls.length || ids.has('')) throw new Error('ids of calls are missing, or twice there')
  return {
    keys: keysOf(completion, [
      '_request_id',
      'system_fingerprint',
      'service_tier',
      'provider_specific_fields',
    ]),
    messageKeys: keysOf(message, [...extensions, 'parsed']),
    content: message.content,
    refusal: message.refusal,
    calls: calls.map(({ name, input }) => ({ name, input })),
    finish: choice.finish_reason,
    usage: plainUsage(usage),
  }
}

/** Vendors that count what they write into their cache tell it, also where it is nothing. */
function plainUsage(usage: OpenAI.CompletionUsage | undefined): unknown {
  const { cache_write_tokens: written = 0, ...details } = (usage?.prompt_tokens_details ?? {}) as {
    cache_write_tokens?: number
  }
  if (written !== 0) throw new Error(`${written} tokens were written, expected none`)
  return { ...usage, prompt_tokens_details: details }
}

function callOf(call: OpenAI.ChatCompletionMessageToolCall) {
  if (call.type !== 'function') throw new Error(`a call of type ${call.type}`)
  const odd = Object.keys(call).filter(key => !['id', 'type', 'function', 'extra_content'].includes(key))
  if (odd.length > 0) throw new Error(`a call with ${odd}`)
  const { name, arguments: json } = call.function
  return { id: call.id, name, input: JSON.parse(json) as unknown }
}

/**
 * What the chunks of a stream bring, in order, neighbours of one kind told once: `role, content, stop, usage`.
 * Reasoning is left out, and counted by itself.
 */
export function courseOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  const kinds = chunks.flatMap(({ choices: [choice], usage }) => {
    if (choice === undefined) return [usage ? 'usage' : 'nothing']
    if (choice.finish_reason !== null) return [choice.finish_reason]
    return Object.keys(choice.delta)
      .filter(key => !extensions.includes(key))
      .flatMap(key => (key === 'tool_calls' ? callKinds(choice.delta.tool_calls!) : key))
  })
  return kinds.filter((kind, index) => kind !== kinds[index - 1]).join(', ')
}

/** What the chunks of one stream have in common, each kind once: one, where all of them are of one answer. */
export function identitiesOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string[] {
  const identities = chunks.map(
    chunk => `${keysOfChunk(chunk)} ${chunk.id} ${chunk.model} ${chunk.created} ${chunk.object}`,
  )
  return [...new Set(identities)]
}

function keysOfChunk(chunk: OpenAI.ChatCompletionChunk): string {
  const keys = Object.keys(chunk).sort()
  return keys.filter(key => key !== 'service_tier' && key !== 'provider_specific_fields').join()
}

/** A call whose arguments come with its name counts as both: clients take either. */
function callKinds(pieces: readonly OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall[]): string[] {
  return pieces.flatMap(({ index, id, function: made }) => [
    ...(id === undefined ? [] : [`call ${index}`]),
    ...(made?.arguments ? [`arguments ${index}`] : []),
  ])
}

function keysOf(value: object, without: readonly string[]): string {
  return Object.keys(value)
    .filter(key => !without.includes(key))
    .sort()
    .join(' ')
}
