import type { ChatRequest, FinishReason, JsonObject, PartialUsage } from '@sluice/core/provider'
import { milliseconds, pieceCount, validateNumber, validateOptions } from './options.ts'

/** A tool call in a scripted response. */
export interface FakeToolCall {
  readonly name: string
  /** An object is sent as JSON; a string is sent as it is. Default `{}`. */
  readonly arguments?: string | JsonObject
  /** The input of a custom tool, in place of `arguments`. */
  readonly input?: string
  /** Default: derived from the request. */
  readonly id?: string
}

/** An error in a scripted response. */
export interface FakeError {
  /** The HTTP status, 400 to 599; unused for an error in a stream (`errorAfter`). Default 500. */
  readonly status?: number
  /** Default `null`. */
  readonly code?: string | null
  /** Default: derived from the status. */
  readonly type?: string
  readonly param?: string | null
  readonly message?: string
  /** The `retry-after` header, in seconds. */
  readonly retryAfter?: number
}

/** One scripted response. If `n` is above 1, all choices are the same. */
export interface FakeReply {
  /** The text, streamed word by word. */
  readonly text?: string
  /** The text in exactly these chunks, in place of `text`. */
  readonly chunks?: readonly string[]
  readonly refusal?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly FakeToolCall[]
  /** The deprecated form of a tool call. */
  readonly functionCall?: { readonly name: string; readonly arguments?: string | JsonObject }
  /** Default: `stop`, `tool_calls` or `function_call`, by the content. */
  readonly finishReason?: FinishReason
  /** Token counts; missing ones are counted. `null` sends no usage. */
  readonly usage?: PartialUsage | null
  /** Responds with this error; with `errorAfter`, within the stream. */
  readonly error?: FakeError
  /** The number of chunks before `error`, in a stream. */
  readonly errorAfter?: number
  /** Milliseconds before the response headers. Default 0. */
  readonly delayMs?: number
  /** Milliseconds before each chunk. Default: as `pace` says. */
  readonly chunkDelayMs?: number
  /** Cuts the connection after this many chunks; a non-streaming response is cut in the middle. */
  readonly cutAfter?: number
  /** Sends an event with malformed JSON after this many chunks, and then ends. */
  readonly malformedAfter?: number
  /** Sends nothing more: before the headers, after the headers, or after this many chunks. */
  readonly hang?: 'before-headers' | 'after-headers' | number
}

/**
 * The model responses of `local()`: a list with one response for each call, or a function of the request and the call's index
 * (from 0). A string is short for `{ text }`. The request's `stop`, `max_tokens` and `tools` do not apply.
 */
export type LocalScript =
  | readonly (string | FakeReply)[]
  | ((request: ChatRequest, callIndex: number) => string | FakeReply | Promise<string | FakeReply>)

/** Returns the response for a call. Rejects if the list is used up or the response is invalid. */
export async function takeReply(script: LocalScript, request: ChatRequest, call: number): Promise<FakeReply> {
  if (typeof script === 'function')
    return validateReply(await script(request, call), `the script's answer to call ${call}`)
  const reply = script[call]
  if (reply !== undefined) return typeof reply === 'string' ? { text: reply } : reply
  throw new Error(
    `The script of local() has ${script.length} ${script.length === 1 ? 'answer' : 'answers'}, and this is call ${call + 1}. Add an answer for it, or pass a function.`,
  )
}

/** Throws `TypeError` or `RangeError` for an invalid script. */
export function validateScript(script: LocalScript): void {
  if (typeof script === 'function') return
  if (!Array.isArray(script))
    throw new TypeError('local(): script must be an array of answers or a function.')
  if (script.length === 0)
    throw new TypeError('local(): script is an empty array. Give an answer for each call, or leave it out.')
  for (const [index, reply] of script.entries()) validateReply(reply, `script[${index}]`)
}

const replyNames =
  'text chunks refusal reasoning toolCalls functionCall finishReason usage error errorAfter delayMs chunkDelayMs cutAfter malformedAfter hang'
const counts = { errorAfter: pieceCount, cutAfter: pieceCount, malformedAfter: pieceCount }
const replyBounds = { ...counts, delayMs: milliseconds, chunkDelayMs: milliseconds }
const errorNames = 'status code type param message retryAfter'
const errorBounds = { status: { min: 400, max: 599, integer: true } }
const answers = ['text', 'chunks', 'refusal', 'reasoning', 'toolCalls', 'functionCall'] as const
const contents = [...answers, 'error', 'hang'] as const
const bodyFaults = ['cutAfter', 'malformedAfter', 'errorAfter', 'hang'] as const

function validateReply(given: string | FakeReply, name: string): FakeReply {
  if (typeof given === 'string') return { text: given }
  const fail = (problem: string) => new TypeError(`local(): ${name} ${problem}`)
  if (typeof given !== 'object' || given === null) throw fail('must be a string or an object.')
  validateOptions(name, given, replyNames, replyBounds)
  const { error, errorAfter, toolCalls = [], hang } = given
  if (error !== undefined) validateOptions(`${name}.error`, error, errorNames, errorBounds)
  if (!Array.isArray(toolCalls)) throw fail('has toolCalls that are no array.')
  for (const [index, call] of toolCalls.entries()) {
    validateOptions(`${name}.toolCalls[${index}]`, call, 'name arguments input id', {})
    if (call.arguments !== undefined && call.input !== undefined)
      throw fail(`has both arguments and input in toolCalls[${index}].`)
  }
  const isGiven = (key: keyof FakeReply) => given[key] !== undefined
  if (!contents.some(isGiven)) throw fail(`needs one of ${contents.join(', ')}.`)
  if (isGiven('text') && isGiven('chunks')) throw fail('has both text and chunks.')
  const answer = answers.find(isGiven)
  if (error !== undefined && errorAfter === undefined && answer !== undefined)
    throw fail(`has both error and ${answer}. Leave one out, or say with errorAfter when the error comes.`)
  if (errorAfter !== undefined && error === undefined) throw fail('has errorAfter without error.')
  const faults = bodyFaults.filter(isGiven)
  if (faults.length > 1) throw fail(`has both ${faults.join(' and ')}.`)
  if (typeof hang === 'number') validateNumber(`${name}.hang`, hang, pieceCount)
  return given
}
