import type { PartialCompletion, PartialMessage, PartialUsage } from '../contracts/provider.ts'
import type { ChatRequest, Usage } from '../protocol/chat.ts'
import type { AnswerTerms } from './prices.ts'

/** Usage, whether any of it is a guess, and what else is billed. */
export interface CountedUsage extends AnswerTerms {
  readonly usage: Usage
  readonly estimated: boolean
}

/** More than any answer has; the sum of two fits the 32 bits of a ledger's column. */
const maxCount = 1_000_000_000

/** A vendor's count, whatever its type says; `undefined` for what is no whole number from 0 to 10^9. */
function countOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxCount) return undefined
  // Not -0.
  return value || 0
}

/** The counts in the protocol's shape. What a vendor did not say is 0. */
function usageOf(partial: PartialUsage): Usage {
  const prompt = countOf(partial.prompt_tokens) ?? 0
  const completion = countOf(partial.completion_tokens) ?? 0
  const written = countOf(partial.cache_write_tokens) ?? 0
  const cached_tokens = countOf(partial.cached_tokens) ?? 0
  const audio_tokens = countOf(partial.prompt_audio_tokens) ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    // Most vendors have no such count: 0 would tell who answered.
    prompt_tokens_details:
      written > 0
        ? { cached_tokens, audio_tokens, cache_write_tokens: written }
        : { cached_tokens, audio_tokens },
    completion_tokens_details: {
      reasoning_tokens: countOf(partial.reasoning_tokens) ?? 0,
      audio_tokens: countOf(partial.completion_audio_tokens) ?? 0,
      accepted_prediction_tokens: countOf(partial.accepted_prediction_tokens) ?? 0,
      rejected_prediction_tokens: countOf(partial.rejected_prediction_tokens) ?? 0,
    },
  }
}

/** A guess at the counts, for an answer whose vendor gave none: about four characters a token. */
export function estimatedUsage(input: ChatRequest, answerChars: number): Usage {
  return usageOf({ prompt_tokens: tokens(promptChars(input)), completion_tokens: tokens(answerChars) })
}

/**
 * The most that a call can have used whose answer was cut off before any of it came, as far as its vendor did not say
 * otherwise in `given`.
 */
export function abandonedUsage(
  input: ChatRequest,
  { promptTokens, completionTokens }: AbandonedTokens,
  given: PartialUsage | undefined,
): Usage {
  const prompt = countOf(given?.prompt_tokens) || (promptTokens ?? tokens(promptChars(input)))
  return usageOf({
    ...given,
    prompt_tokens: Math.min(prompt, maxCount),
    completion_tokens: Math.min(Math.max(completionTokens, countOf(given?.completion_tokens) ?? 0), maxCount),
  })
}

/** What an abandoned call is charged. */
export interface AbandonedTokens {
  /** `undefined`: an estimate of the prompt. */
  readonly promptTokens: number | undefined
  readonly completionTokens: number
}

/** Counts that nobody else holds: whoever gets them may keep or change them. */
export function copiedUsage(usage: Usage): Usage {
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens,
    prompt_tokens_details: { ...usage.prompt_tokens_details },
    completion_tokens_details: { ...usage.completion_tokens_details },
  }
}

function tokens(chars: number): number {
  return Math.ceil(chars / 4)
}

/** A ledger asks again and again what a stream has used so far. */
const knownChars = new WeakMap<ChatRequest, number>()

function promptChars(input: ChatRequest): number {
  const known = knownChars.get(input)
  if (known !== undefined) return known
  let chars = 0
  for (const { content } of input.messages) {
    if (typeof content === 'string') chars += content.length
    else for (const part of content ?? []) if (part.type === 'text') chars += part.text.length
  }
  if (input.tools !== undefined) chars += JSON.stringify(input.tools).length
  knownChars.set(input, chars)
  return chars
}

/** The counts of a whole answer. */
export function completionUsage(completion: PartialCompletion, input: ChatRequest): CountedUsage {
  let chars = 0
  let refusalChars = 0
  for (const { message } of completion.choices) {
    chars += messageChars(message)
    refusalChars += message.refusal?.length ?? 0
  }
  return countedUsage(completion.usage, input, chars, true, refusalChars, completion.service_tier)
}

/**
 * The counts of an answer of `answerChars` characters: the vendor's, and a guess for what it did not say. A count of 0
 * beside a prompt or an answer says nothing, but beside a refusal alone, which no model has written. Of an answer that
 * broke off, the vendor may have counted only the beginning: the guess stands where it is more.
 */
export function countedUsage(
  given: PartialUsage | undefined,
  input: ChatRequest,
  answerChars: number,
  whole: boolean,
  refusalChars = 0,
  serviceTier?: string,
): CountedUsage {
  const prompt = countOf(given?.prompt_tokens)
  const completion = countOf(given?.completion_tokens)
  const guess = tokens(answerChars)
  const promptCounted = prompt !== undefined && (prompt > 0 || promptChars(input) === 0)
  const isCount = completion !== undefined && (completion > 0 || answerChars === refusalChars)
  const counted = isCount && (whole || completion >= guess)
  const webSearches = countOf(given?.web_search_requests)
  // One literal, and no copy of it with one member more: that alone takes 4 us of a request.
  if (promptCounted && counted)
    return { usage: usageOf(given ?? {}), estimated: false, webSearches, serviceTier }
  const usage = usageOf({
    ...given,
    prompt_tokens: promptCounted ? prompt : tokens(promptChars(input)),
    completion_tokens: counted ? completion : guess,
  })
  return { usage, estimated: true, webSearches, serviceTier }
}

/** How many characters of text, names of calls and arguments a message, or a piece of one, holds. */
export function messageChars(message: PartialMessage): number {
  let chars = (message.content?.length ?? 0) + (message.refusal?.length ?? 0)
  chars += message.reasoning_content?.length ?? 0
  if (message.function_call !== undefined) chars += callChars(message.function_call)
  for (const { function: called, custom } of message.tool_calls ?? []) {
    chars += callChars(called ?? { name: custom?.name, arguments: custom?.input })
  }
  return chars
}

/** How many characters the name and the arguments of a call hold. */
export function callChars({ name, arguments: text }: CallTexts): number {
  return (name?.length ?? 0) + (text?.length ?? 0)
}

interface CallTexts {
  readonly name?: string | undefined
  readonly arguments?: string | undefined
}
