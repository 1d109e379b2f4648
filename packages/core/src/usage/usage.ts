import type { EmbedRequest } from '../contracts/embedding.ts'
import type { PartialCompletion, PartialMessage, PartialUsage } from '../contracts/provider.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import type { ChatRequest, CompletionUsage, Usage } from '../protocol/chat.ts'
import type { AnswerTerms } from './prices.ts'

/** Usage, whether any of it is estimated, and what is billed in addition. */
export interface CountedUsage extends AnswerTerms {
  readonly usage: Usage
  readonly estimated: boolean
}

/** More than any response has; the sum of two fits the 32-bit column of a ledger. */
const maxCount = 1_000_000_000

/** Returns a vendor's count, or `undefined` unless it is an integer from 0 to 10^9. */
function countOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxCount) return undefined
  // Converts -0 to 0.
  return value || 0
}

/** Returns usage in the shape of the protocol. Missing counts are 0. */
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
    // Most vendors have no such count: a 0 would reveal the vendor.
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

/** Adds what the vendor counts beyond the protocol. */
export function usageWithFields(usage: Usage, given: PartialUsage | undefined): CompletionUsage {
  const fields = given?.provider_specific_fields
  return fields === undefined ? usage : { ...usage, provider_specific_fields: fields }
}

/** Adds the cost of an answer in US dollars, where it is known. */
export function usageWithCost(usage: CompletionUsage, cost: number | undefined): CompletionUsage {
  return cost === undefined ? usage : { ...usage, cost }
}

/** Estimates usage for a response without counts: one token per four characters. */
export function estimatedUsage(request: Prompt, answerChars: number): Usage {
  return usageOf({ prompt_tokens: tokens(promptChars(request)), completion_tokens: tokens(answerChars) })
}

/** Returns the usage of a prompt alone. */
export function promptUsage(promptTokens: number): Usage {
  return usageOf({ prompt_tokens: Math.min(promptTokens, maxCount) })
}

/** Returns the usage to charge for an abandoned call. Counts that the vendor reported (`given`) take precedence. */
export function abandonedUsage(
  request: Prompt,
  { promptTokens, completionTokens }: AbandonedTokens,
  given: PartialUsage | undefined,
): Usage {
  const prompt = countOf(given?.prompt_tokens) || (promptTokens ?? tokens(promptChars(request)))
  return usageOf({
    ...given,
    prompt_tokens: Math.min(prompt, maxCount),
    completion_tokens: Math.min(Math.max(completionTokens, countOf(given?.completion_tokens) ?? 0), maxCount),
  })
}

/** The tokens to charge for an abandoned call. */
export interface AbandonedTokens {
  /** `undefined`: an estimate of the prompt. */
  readonly promptTokens: number | undefined
  readonly completionTokens: number
}

/** Returns the usage of two parts of a request together: for embeddings, which have a prompt only. */
export function addPromptUsage(one: Usage, other: Usage): Usage {
  const prompt_tokens = Math.min(one.prompt_tokens + other.prompt_tokens, maxCount)
  return usageOf({ prompt_tokens })
}

/** Returns the usage of two calls of one request. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (a: number, b: number) => Math.min(a + b, maxCount)
  const [prompt, otherPrompt] = [one.prompt_tokens_details, other.prompt_tokens_details]
  const [answer, otherAnswer] = [one.completion_tokens_details, other.completion_tokens_details]
  const written = sum(prompt.cache_write_tokens ?? 0, otherPrompt.cache_write_tokens ?? 0)
  return {
    prompt_tokens: sum(one.prompt_tokens, other.prompt_tokens),
    completion_tokens: sum(one.completion_tokens, other.completion_tokens),
    total_tokens: sum(one.total_tokens, other.total_tokens),
    prompt_tokens_details: {
      cached_tokens: sum(prompt.cached_tokens, otherPrompt.cached_tokens),
      audio_tokens: sum(prompt.audio_tokens, otherPrompt.audio_tokens),
      ...(written > 0 && { cache_write_tokens: written }),
    },
    completion_tokens_details: {
      reasoning_tokens: sum(answer.reasoning_tokens, otherAnswer.reasoning_tokens),
      audio_tokens: sum(answer.audio_tokens, otherAnswer.audio_tokens),
      accepted_prediction_tokens: sum(
        answer.accepted_prediction_tokens,
        otherAnswer.accepted_prediction_tokens,
      ),
      rejected_prediction_tokens: sum(
        answer.rejected_prediction_tokens,
        otherAnswer.rejected_prediction_tokens,
      ),
    },
  }
}

/** Returns a deep copy, so that the recipient may change it. */
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
  return Math.ceil(chars / charsPerToken)
}

/** Cached, because a ledger reads the progress of a stream repeatedly. */
const knownChars = new WeakMap<ChatRequest, number>()

/** What a prompt's characters are counted in, where the vendor does not count its tokens. */
export type Prompt = Pick<GenerateRequest, 'chat'> | InputRequest

/** A request whose tokens are those of its inputs. */
export type InputRequest = Pick<EmbedRequest, 'inputs'>

/** A token, where a prompt is in tokens, counts as its usual characters. */
const charsPerToken = 4

function promptChars(request: Prompt): number {
  if ('inputs' in request) {
    return request.inputs.reduce(
      (chars, input) => chars + input.length * (typeof input === 'string' ? 1 : charsPerToken),
      0,
    )
  }
  const input = request.chat()
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

/** Returns the usage of a response that is not streamed. */
export function completionUsage(completion: PartialCompletion, request: Prompt): CountedUsage {
  let chars = 0
  let refusalChars = 0
  for (const { message } of completion.choices) {
    chars += messageChars(message)
    refusalChars += message.refusal?.length ?? 0
  }
  return countedUsage(completion.usage, request, chars, true, refusalChars, completion.service_tier)
}

/** Returns the usage of an answer that is not generated, such as of embeddings: the vendor's count, or an estimate. */
export function embedUsage(
  promptTokens: number | undefined,
  prompt: Prompt,
  searchUnits?: number | undefined,
): CountedUsage {
  const given = promptTokens === undefined ? {} : { prompt_tokens: promptTokens }
  const counted = countedUsage({ ...given, completion_tokens: 0 }, prompt, 0, true)
  return searchUnits === undefined ? counted : { ...counted, searchUnits: countOf(searchUnits) }
}

/**
 * Returns the usage of a response of `answerChars` characters: the vendor's counts, with an estimate for missing ones. A count
 * of 0 counts as missing if there is content, unless that is only a refusal, which may not come from the model. For an
 * incomplete response the vendor may have counted only the start: the estimate applies if it is higher.
 */
export function countedUsage(
  given: PartialUsage | undefined,
  request: Prompt,
  answerChars: number,
  whole: boolean,
  refusalChars = 0,
  serviceTier?: string,
): CountedUsage {
  const prompt = countOf(given?.prompt_tokens)
  const completion = countOf(given?.completion_tokens)
  const guess = tokens(answerChars)
  const promptCounted = prompt !== undefined && (prompt > 0 || promptChars(request) === 0)
  const isCount = completion !== undefined && (completion > 0 || answerChars === refusalChars)
  const counted = isCount && (whole || completion >= guess)
  const webSearches = countOf(given?.web_search_requests)
  // One literal: adding a member by spreading takes 4 us per request.
  if (promptCounted && counted)
    return { usage: usageOf(given ?? {}), estimated: false, webSearches, serviceTier }
  const usage = usageOf({
    ...given,
    prompt_tokens: promptCounted ? prompt : tokens(promptChars(request)),
    completion_tokens: counted ? completion : guess,
  })
  return { usage, estimated: true, webSearches, serviceTier }
}

/** Returns the number of characters of a message or delta: its text, and the names and arguments of its calls. */
export function messageChars(message: PartialMessage): number {
  let chars = (message.content?.length ?? 0) + (message.refusal?.length ?? 0)
  chars += message.reasoning_content?.length ?? 0
  if (message.function_call !== undefined) chars += callChars(message.function_call)
  for (const { function: called, custom } of message.tool_calls ?? []) {
    chars += callChars(called ?? { name: custom?.name, arguments: custom?.input })
  }
  return chars
}

/** Returns the number of characters of the name and arguments of a call. */
export function callChars({ name, arguments: text }: CallTexts): number {
  return (name?.length ?? 0) + (text?.length ?? 0)
}

interface CallTexts {
  readonly name?: string | undefined
  readonly arguments?: string | undefined
}
