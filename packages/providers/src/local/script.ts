import type { ChatRequest, FinishReason, JsonObject, PartialUsage } from '@sluice/core/provider'
import { milliseconds, pieceCount, validateNumber, validateOptions } from './options.ts'

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
export async function takeReply(script: Script, request: ChatRequest, call: number): Promise<ScriptedReply> {
  if (typeof script === 'function')
    return validateReply(await script(request, call), `the script's answer to call ${call}`)
  const reply = script[call]
  if (reply !== undefined) return typeof reply === 'string' ? { text: reply } : reply
  throw new Error(
    `The script of local() has ${script.length} ${script.length === 1 ? 'answer' : 'answers'}, and this is call ${call + 1}. Add an answer for it, or pass a function.`,
  )
}

/** Throws `TypeError` or `RangeError` for a script that makes no sense. */
export function validateScript(script: Script): void {
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

function validateReply(given: string | ScriptedReply, name: string): ScriptedReply {
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
  const isGiven = (key: keyof ScriptedReply) => given[key] !== undefined
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
