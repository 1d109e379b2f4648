import type {
  ChatCompletion,
  Choice,
  CompletionMessage,
  CompletionUsage,
  JsonObject,
  Usage,
} from '../../protocol/chat.ts'

// Tuned for the bench row `node`: `JSON.stringify` of the complete response adds 1.7 us to about 50 us.

/**
 * Returns the same text as `JSON.stringify`, at a third of the cost for common completions: one text and no other content.
 * All other parts use `JSON.stringify`.
 */
export function completionText(completion: ChatCompletion): string {
  const { id, object, created, model, choices, usage, service_tier, system_fingerprint } = completion
  const fields = fieldsText(completion.provider_specific_fields)
  let list = ''
  for (const choice of choices) list += list === '' ? choiceText(choice) : `,${choiceText(choice)}`
  const time = Number.isFinite(created) ? created : null
  const tier = service_tier === undefined ? '' : `,"service_tier":${quoted(service_tier)}`
  return `{"id":${quoted(id)},"object":"${object}","created":${time},"model":${quoted(model)},"choices":[${list}],"usage":${usageText(usage)}${tier},"system_fingerprint":${quotedOrNull(system_fingerprint)}${fields}}`
}

function choiceText(choice: Choice): string {
  const { index, message, logprobs, finish_reason } = choice
  if (logprobs !== null || !isText(message)) return JSON.stringify(choice)
  const content = quotedOrNull(message.content)
  const fields = fieldsText(choice.provider_specific_fields)
  return `{"index":${index},"message":{"role":"assistant","content":${content},"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":${quoted(finish_reason)}${fields}}`
}

function fieldsText(fields: JsonObject | undefined): string {
  return fields === undefined ? '' : `,"provider_specific_fields":${JSON.stringify(fields)}`
}

/** Whether the message contains only text. */
function isText(message: CompletionMessage): boolean {
  const { refusal, annotations } = message
  if (refusal !== null || annotations.length > 0) return false
  let members = 0
  for (const _name in message) members++
  return members === 4
}

function usageText(usage: CompletionUsage): string {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage
  const written =
    prompt.cache_write_tokens === undefined ? '' : `,"cache_write_tokens":${prompt.cache_write_tokens}`
  const ofPrompt = `{"cached_tokens":${prompt.cached_tokens},"audio_tokens":${prompt.audio_tokens}${written}}`
  const cost = usage.cost === undefined ? '' : `,"cost":${usage.cost}`
  return `{"prompt_tokens":${usage.prompt_tokens},"completion_tokens":${usage.completion_tokens},"total_tokens":${usage.total_tokens},"prompt_tokens_details":${ofPrompt},"completion_tokens_details":${detailsText(completion)}${fieldsText(usage.provider_specific_fields)}${cost}}`
}

const noDetails =
  '{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}'

function detailsText(details: Usage['completion_tokens_details']): string {
  const { reasoning_tokens, audio_tokens, accepted_prediction_tokens, rejected_prediction_tokens } = details
  const others = audio_tokens + accepted_prediction_tokens + rejected_prediction_tokens
  return reasoning_tokens === 0 && others === 0 ? noDetails : JSON.stringify(details)
}

function quotedOrNull(text: string | null): string {
  return text === null ? 'null' : quoted(text)
}

/** Maximum characters to check here: the engine quotes longer texts faster. */
const short = 200

function quoted(text: string): string {
  // A custom provider may return a value that is not a string.
  if (typeof text !== 'string' || text.length > short) return JSON.stringify(text)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0xd7ff) return JSON.stringify(text)
  }
  return `"${text}"`
}
