/** The API that a request to an upstream is for, as its URL says. */
export type WireFormat = 'chat' | 'responses' | 'messages' | 'gemini'

/** What the answer of a modelled upstream contains. */
export interface ModelledAnswer {
  readonly model: string
  readonly promptTokens: number
  readonly completionTokens: number
  /** Seconds since 1970. */
  readonly created: number
}

const paths: readonly (readonly [RegExp, WireFormat])[] = [
  [/\/chat\/completions$|^local:chat\/completions$/, 'chat'],
  [/\/responses$/, 'responses'],
  [/\/messages$/, 'messages'],
  [/:(?:streamGenerateContent|generateContent)$/, 'gemini'],
]

/** Returns the API of a URL; `undefined` if the simulation cannot speak it. */
export function wireFormatOf(url: string): WireFormat | undefined {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return paths.find(([pattern]) => pattern.test(path))?.[1]
}

/** Whether a request asks for a stream. */
export function isStreamed(format: WireFormat, url: string, body: string): boolean {
  return format === 'gemini' ? url.includes(':streamGenerateContent') : /"stream":\s*true/.test(body)
}

const word = 'word '
const words = word.repeat(4_096)

/** Text of so many tokens, at most 4,096: what more a model writes is in its counts only. */
function textOf(tokens: number): string {
  return words.slice(0, tokens * word.length)
}

/** Returns the body of an answer that is not streamed. */
export function completeBody(format: WireFormat, answer: ModelledAnswer): string {
  const { model, promptTokens, completionTokens, created } = answer
  const text = textOf(completionTokens)
  switch (format) {
    case 'chat':
      return `{"id":"chatcmpl-model","object":"chat.completion","created":${created},"model":"${model}","choices":[{"index":0,"message":{"role":"assistant","content":"${text}","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":${chatUsage(answer)}}`
    case 'responses':
      return responseObject(answer, 'completed', `[${messageItem(text)}]`)
    case 'messages':
      return `{"id":"msg_model","type":"message","role":"assistant","model":"${model}","content":[{"type":"text","text":"${text}"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":${promptTokens},"output_tokens":${completionTokens}}}`
    case 'gemini':
      return geminiBody(answer, text, true)
  }
}

/**
 * Returns the parts of a streamed answer, as they arrive together: the first one with the head, then one for each share of the
 * tokens, the last one with the end.
 */
export function streamedParts(format: WireFormat, answer: ModelledAnswer, parts: number): string[] {
  const { completionTokens } = answer
  const each = Math.ceil(completionTokens / Math.max(parts, 1))
  const shares: number[] = []
  for (let left = completionTokens; left > 0; left -= each) shares.push(Math.min(each, left))
  const { head, delta, end } = streamOf(format, answer)
  const texts = shares.map(tokens => delta(textOf(tokens)))
  texts[0] = head + (texts[0] ?? '')
  texts[texts.length - 1] += end
  return texts
}

interface StreamTexts {
  readonly head: string
  readonly delta: (text: string) => string
  readonly end: string
}

function streamOf(format: WireFormat, answer: ModelledAnswer): StreamTexts {
  const { model, promptTokens, completionTokens, created } = answer
  switch (format) {
    case 'chat': {
      const chunk = (choices: string, usage = 'null') =>
        `data: {"id":"chatcmpl-model","object":"chat.completion.chunk","created":${created},"model":"${model}","choices":[${choices}],"usage":${usage}}\n\n`
      const choice = (delta: string, finish = 'null') =>
        chunk(`{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}`)
      return {
        head: choice('{"role":"assistant","content":"","refusal":null}'),
        delta: text => choice(`{"content":"${text}"}`),
        end: `${choice('{}', '"stop"')}${chunk('', chatUsage(answer))}data: [DONE]\n\n`,
      }
    }
    case 'responses': {
      const item = '"item_id":"msg_model","output_index":0,"content_index":0'
      const text = textOf(completionTokens)
      return {
        head: [
          named('response.created', `"response":${responseObject(answer, 'in_progress', '[]')}`),
          named(
            'response.output_item.added',
            '"output_index":0,"item":{"id":"msg_model","type":"message","status":"in_progress","role":"assistant","content":[]}',
          ),
          named(
            'response.content_part.added',
            `${item},"part":{"type":"output_text","text":"","annotations":[]}`,
          ),
        ].join(''),
        delta: part => named('response.output_text.delta', `${item},"delta":"${part}"`),
        end: [
          named('response.output_text.done', `${item},"text":"${text}"`),
          named('response.output_item.done', `"output_index":0,"item":${messageItem(text)}`),
          named(
            'response.completed',
            `"response":${responseObject(answer, 'completed', `[${messageItem(text)}]`)}`,
          ),
        ].join(''),
      }
    }
    case 'messages':
      return {
        head: `${named('message_start', `"message":{"id":"msg_model","type":"message","role":"assistant","model":"${model}","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":${promptTokens},"output_tokens":1}}`)}${named('content_block_start', '"index":0,"content_block":{"type":"text","text":""}')}`,
        delta: text =>
          named('content_block_delta', `"index":0,"delta":{"type":"text_delta","text":"${text}"}`),
        end: `${named('content_block_stop', '"index":0')}${named('message_delta', `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":${completionTokens}}`)}${named('message_stop')}`,
      }
    case 'gemini':
      return {
        head: '',
        delta: text => `data: ${geminiBody(answer, text, false)}\n\n`,
        end: `data: ${geminiBody(answer, '', true)}\n\n`,
      }
  }
}

function named(type: string, members = ''): string {
  return `event: ${type}\ndata: {"type":"${type}"${members === '' ? '' : `,${members}`}}\n\n`
}

function chatUsage({ promptTokens, completionTokens }: ModelledAnswer): string {
  return `{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${promptTokens + completionTokens}}`
}

function messageItem(text: string): string {
  return `{"id":"msg_model","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"${text}","annotations":[]}]}`
}

function responseObject(answer: ModelledAnswer, status: string, output: string): string {
  const { model, promptTokens, completionTokens, created } = answer
  const usage =
    status === 'completed'
      ? `{"input_tokens":${promptTokens},"input_tokens_details":{"cached_tokens":0},"output_tokens":${completionTokens},"output_tokens_details":{"reasoning_tokens":0},"total_tokens":${promptTokens + completionTokens}}`
      : 'null'
  return `{"id":"resp_model","object":"response","created_at":${created},"status":"${status}","model":"${model}","output":${output},"error":null,"incomplete_details":null,"usage":${usage}}`
}

function geminiBody(
  { model, promptTokens, completionTokens }: ModelledAnswer,
  text: string,
  isLast: boolean,
): string {
  const finish = isLast ? ',"finishReason":"STOP"' : ''
  const usage = `{"promptTokenCount":${promptTokens},"candidatesTokenCount":${completionTokens},"totalTokenCount":${promptTokens + completionTokens}}`
  return `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"${text}"}]}${finish}}],"usageMetadata":${usage},"modelVersion":"${model}","responseId":"model"}`
}

/** Returns the body of an error response. */
export function errorBody(format: WireFormat, status: number): string {
  const message = `The modelled upstream answers ${status}.`
  switch (format) {
    case 'messages':
      return JSON.stringify({ type: 'error', error: { type: messagesErrorType(status), message } })
    case 'gemini':
      return JSON.stringify({ error: { code: status, message, status: geminiStatus(status) } })
    default: {
      const type = status === 429 ? 'rate_limit_error' : 'server_error'
      return JSON.stringify({ error: { message, type, param: null, code: null } })
    }
  }
}

function messagesErrorType(status: number): string {
  if (status === 429) return 'rate_limit_error'
  return status === 529 ? 'overloaded_error' : 'api_error'
}

function geminiStatus(status: number): string {
  if (status === 429) return 'RESOURCE_EXHAUSTED'
  return status === 503 ? 'UNAVAILABLE' : 'INTERNAL'
}
