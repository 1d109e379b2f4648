import type { ChatRequest, Message } from '@sluice/core/provider'
import { answerArithmetic } from './arithmetic.ts'
import type { FakeReply, FakeToolCall } from './script.ts'
import { type GeneratedCall, generateStructured } from './structured-output.ts'
import { countPromptTokens, countTokens, firstTokens, lastUserText, textOf } from './tokens.ts'

/** The most tokens of a choice where the request sets no lower limit. */
const maxTokens = 8_192
const introduction =
  'I am a stand-in that is not a language model: I work without one and can only answer from your own words.'

/** Creates the local provider's own answer: tool calls, an object for a schema, words, or an error of status 400. */
export function createAnswer(request: ChatRequest, contextWindow = Number.POSITIVE_INFINITY): FakeReply {
  const promptTokens = countPromptTokens(request)
  if (promptTokens > contextWindow) {
    const message = `This model's maximum context length is ${contextWindow} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
    return { error: { status: 400, message, code: 'context_length_exceeded', param: 'messages' } }
  }
  const requested = request.max_completion_tokens ?? request.max_tokens ?? maxTokens
  const limit = Math.min(requested, maxTokens, contextWindow - promptTokens)
  const { error, calls, text = answerInWords(request) } = generateStructured(request)
  if (error !== undefined) return { error }
  return calls === undefined ? limitText(text, limit, request.stop) : limitCalls(calls, limit)
}

/** The results of tools, a calculation, the text after `say`, or else an echo of the user's words. */
function answerInWords({ messages, response_format }: ChatRequest): string {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool' && role !== 'function')
  const results = messages
    .slice(lastOther + 1)
    .map(({ content }) => `The tool answered: ${textOf(content).trim()}`)
  const text = lastUserText(messages)
  const [, said] = /^\s*(?:please )?(?:say|repeat|echo)\b[\s:]*(\S.*)$/is.exec(text) ?? []
  const answer =
    results.length > 0 ? results.join('\n') : (answerArithmetic(text) ?? said ?? echo(messages, text))
  return response_format?.type === 'json_object' ? JSON.stringify({ answer }) : answer
}

/** Repeats what the user said. The first answer of a conversation says that it is from no language model. */
function echo(messages: readonly Message[], text: string): string {
  const { content } = messages.findLast(({ role }) => role === 'user') ?? {}
  const hasMedia = Array.isArray(content) && content.some(({ type }) => type !== 'text')
  const words = text.slice(0, 2_000).trim().replace(/\s+/g, ' ')
  const quoted = words.length > 240 ? `${words.slice(0, 240)} ...` : words
  return [
    ...(messages.some(({ role }) => role === 'assistant') ? [] : [introduction]),
    ...(hasMedia ? ['I cannot look at images, listen to audio or read files.'] : []),
    quoted === '' ? 'I have no words of yours to answer.' : `You said: "${quoted}"`,
  ].join(' ')
}

/** The text up to the token limit, and within it up to the first stop sequence. */
function limitText(text: string, limit: number, stop: ChatRequest['stop']): FakeReply {
  const chunks = firstTokens(text, limit)
  const kept = chunks.join('')
  const stops = [stop ?? []].flat().filter(sequence => sequence !== '' && kept.includes(sequence))
  if (stops.length === 0) return { chunks, finishReason: kept.length < text.length ? 'length' : 'stop' }
  const end = Math.min(...stops.map(sequence => kept.indexOf(sequence)))
  return { chunks: firstTokens(kept.slice(0, end), limit), finishReason: 'stop' }
}

/** Calls up to the token limit: a name that does not fit is not called, and an input that does not fit is cut. */
function limitCalls(calls: readonly GeneratedCall[], limit: number): FakeReply {
  const toolCalls: FakeToolCall[] = []
  let left = limit
  for (const { name, form, input } of calls) {
    left -= countTokens(name)
    if (left < 0) return { toolCalls, finishReason: 'length' }
    const kept = firstTokens(input, left)
    const written = kept.join('')
    left -= kept.length
    const call = form === 'custom' ? { name, input: written } : { name, arguments: written }
    const finish = written.length < input.length ? ({ finishReason: 'length' } as const) : {}
    if (form === 'deprecated') return { functionCall: call, ...finish }
    toolCalls.push(call)
    if (written.length < input.length) return { toolCalls, ...finish }
  }
  return { toolCalls }
}
