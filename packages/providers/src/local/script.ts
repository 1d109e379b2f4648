import type { ChatRequest, FinishReason, JsonObject, PartialUsage } from '@sluice/core'
import { knownOptions, namesOf } from '../known-options.ts'
import { checkedNumber, longestWait } from './checked-number.ts'

/** A tool call of a script. */
export interface ScriptedToolCall {
  readonly name: string
  /** An object is written as JSON text; a text is sent as it is. Default `{}`. */
  readonly arguments?: string | JsonObject
  /** The input of a custom tool, in place of `arguments`. */
  readonly input?: string
  /** Default: made from the request. */
  readonly id?: string
}

/** An error of a script. */
export interface ScriptedError {
  /** Of the answer, 400 to 599. Not needed for an error within a stream (`errorAfter`). Default 500. */
  readonly status?: number
  /** Default `null`. */
  readonly code?: string | null
  /** Default as the status says. */
  readonly type?: string
  readonly param?: string | null
  readonly message?: string
  /** In seconds, sent as `retry-after`. */
  readonly retryAfter?: number
}

/** One answer of a script. With `n` above 1 each choice is the same. */
export interface ScriptedReply {
  /** The answer's text, streamed word by word. */
  readonly text?: string
  /** The answer's text in exactly these pieces, in place of `text`. */
  readonly chunks?: readonly string[]
  readonly refusal?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** The deprecated form of a tool call. */
  readonly functionCall?: { readonly name: string; readonly arguments?: string | JsonObject }
  /** Default `stop`, `tool_calls` or `function_call`, as the answer is. */
  readonly finishReason?: FinishReason
  /** Counts in place of those of the local provider; what is left out is counted. `null`: none are sent. */
  readonly usage?: PartialUsage | null
  /** The answer is this error; with `errorAfter`, the error comes within the stream. */
  readonly error?: ScriptedError
  /** After how many pieces `error` comes. Only in a stream. */
  readonly errorAfter?: number
  /** Milliseconds before the answer's head. Default 0. */
  readonly delayMs?: number
  /** Milliseconds before each piece. Default as `pace` says. */
  readonly chunkDelayMs?: number
  /** The connection is cut after so many pieces; a whole answer is cut in its middle. */
  readonly cutAfter?: number
  /** An event that is no JSON comes after so many pieces, and then the end. */
  readonly malformedAfter?: number
  /** Nothing comes any more: not even the head, nothing after the head, or nothing after so many pieces. */
  readonly hang?: 'before-headers' | 'after-headers' | number
}

/**
 * What the local provider answers, word for word: a list of answers used in turn, one a call, or a function of
 * the request and the number of the call, the first one being 0. A plain string is `{ text }`. The request's
 * `stop`, `max_tokens` and `tools` are not applied to a script.
 */
export type Script =
  | readonly (string | ScriptedReply)[]
  | ((request: ChatRequest, callIndex: number) => string | ScriptedReply | Promise<string | ScriptedReply>)

/** Takes the answer for a call. Throws where the list has none left, or the answer makes no sense. */
export async function scriptedReply(
  script: Script,
  request: ChatRequest,
  callIndex: number,
): Promise<ScriptedReply> {
  if (typeof script === 'function') {
    const reply = asReply(await script(request, callIndex))
    checkReply(reply, `the script's answer to call ${callIndex}`)
    return reply
  }
  const reply = script[callIndex]
  if (reply !== undefined) return asReply(reply)
  throw new Error(
    `The script of local() has ${script.length} ${script.length === 1 ? 'answer' : 'answers'}, and this is call ${callIndex + 1}. Add an answer for it, or pass a function.`,
  )
}

/** Throws `TypeError` or `RangeError` for a script that makes no sense. */
export function checkScript(script: Script): void {
  if (typeof script === 'function') return
  if (!Array.isArray(script))
    throw new TypeError('local(): script must be an array of answers or a function.')
  if (script.length === 0)
    throw new TypeError('local(): script is an empty array. Give an answer for each call, or leave it out.')
  for (const [at, reply] of script.entries()) checkReply(asReply(reply), `script[${at}]`)
}

const contents = [
  'text',
  'chunks',
  'refusal',
  'reasoning',
  'toolCalls',
  'functionCall',
  'error',
  'hang',
] as const
const mishaps = ['cutAfter', 'malformedAfter', 'errorAfter'] as const

const replyNames = /* @__PURE__ */ namesOf<ScriptedReply>({
  text: true,
  chunks: true,
  refusal: true,
  reasoning: true,
  toolCalls: true,
  functionCall: true,
  finishReason: true,
  usage: true,
  error: true,
  errorAfter: true,
  delayMs: true,
  chunkDelayMs: true,
  cutAfter: true,
  malformedAfter: true,
  hang: true,
})
const errorNames = /* @__PURE__ */ namesOf<ScriptedError>({
  status: true,
  code: true,
  type: true,
  param: true,
  message: true,
  retryAfter: true,
})
const callNames = /* @__PURE__ */ namesOf<ScriptedToolCall>({
  name: true,
  arguments: true,
  input: true,
  id: true,
})
/** What an answer that is an error has no place for. */
const saidInAnswer = ['text', 'chunks', 'refusal', 'reasoning', 'toolCalls', 'functionCall'] as const

function checkReply(reply: ScriptedReply, name: string): void {
  if (typeof reply !== 'object' || reply === null)
    throw new TypeError(`local(): ${name} must be a string or an object.`)
  knownOptions(`local(): ${name}`, reply, replyNames)
  if (reply.error !== undefined) knownOptions(`local(): ${name}.error`, reply.error, errorNames)
  if (reply.toolCalls !== undefined && !Array.isArray(reply.toolCalls))
    throw new TypeError(`local(): ${name}.toolCalls must be an array.`)
  for (const [at, call] of (reply.toolCalls ?? []).entries()) {
    knownOptions(`local(): ${name}.toolCalls[${at}]`, call, callNames)
    if (call.arguments !== undefined && call.input !== undefined)
      throw new TypeError(`local(): ${name}.toolCalls[${at}] has both arguments and input.`)
  }
  if (!contents.some(key => reply[key] !== undefined))
    throw new TypeError(`local(): ${name} needs one of ${contents.join(', ')}.`)
  if (reply.text !== undefined && reply.chunks !== undefined)
    throw new TypeError(`local(): ${name} has both text and chunks.`)
  const said = saidInAnswer.find(key => reply[key] !== undefined)
  if (reply.error !== undefined && reply.errorAfter === undefined && said !== undefined)
    throw new TypeError(
      `local(): ${name} has both error and ${said}. Leave one out, or say with errorAfter when the error comes.`,
    )
  if (reply.errorAfter !== undefined && reply.error === undefined)
    throw new TypeError(`local(): ${name} has errorAfter without error.`)
  const struck = [...mishaps, 'hang' as const].filter(key => reply[key] !== undefined)
  if (struck.length > 1) throw new TypeError(`local(): ${name} has both ${struck.join(' and ')}.`)
  for (const key of mishaps)
    if (reply[key] !== undefined) checkedNumber(`${name}.${key}`, reply[key], { max: 1_000_000, whole: true })
  if (typeof reply.hang === 'number')
    checkedNumber(`${name}.hang`, reply.hang, { max: 1_000_000, whole: true })
  for (const key of ['delayMs', 'chunkDelayMs'] as const)
    if (reply[key] !== undefined) checkedNumber(`${name}.${key}`, reply[key], { max: longestWait })
  if (reply.error?.status !== undefined)
    checkedNumber(`${name}.error.status`, reply.error.status, { min: 400, max: 599, whole: true })
}

function asReply(reply: string | ScriptedReply): ScriptedReply {
  return typeof reply === 'string' ? { text: reply } : reply
}
