import type {
  FinishReason,
  JsonObject,
  Logprobs,
  PartialChunkChoice,
  PartialMessage,
  PartialToolCall,
  TokenLogprob,
} from '@sluice/core/provider'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { CallReader } from './call-reader.ts'
import { signatureFormat } from './model-parts.ts'
import { SourceAnnotations } from './source-annotations.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

const maxSignatures = 8_388_608
const maxUndeclared = 128

/** Reads one candidate, whole or from chunk to chunk. */
export class CandidateReader {
  /** It has given its reason to end. */
  finished = false
  #seen = false
  #answered = false
  readonly #index: number
  readonly #declared: ReadonlySet<string>
  readonly #calls = new CallReader()
  readonly #sources = new SourceAnnotations()
  #signatures: string[] = []
  #signed = 0
  #signatureSize = 0
  #undeclared: PartialToolCall[] = []

  /** @param declared - the names of the tools that the caller gave. */
  constructor(index: number, declared: ReadonlySet<string>) {
    this.#index = index
    this.#declared = declared
  }

  /**
   * What a candidate's piece adds, or `undefined` where it adds nothing. Throws `UpstreamError`: of kind `garbled` for
   * what makes no sense, and for more than can be kept; of kind `refused` where the model failed before it answered.
   *
   * @param order - for a piece that is all that there will be: gets what each of its parts adds.
   */
  read(candidate: Fields, order?: PartialMessage[]): PartialChunkChoice | undefined {
    const whole = order !== undefined
    const delta: Writable<PartialMessage> = {}
    const reason = finishReason(candidate.finishReason)
    const failed = isFailedGeneration(candidate.finishReason)
    const last = reason !== null || whole || this.finished
    const calls = this.#readParts(candidate.content, delta, order)
    const before = calls.length
    if (last || delta.content !== undefined) this.#calls.close(calls)
    if (order !== undefined) addCalls(calls, before, order)
    if (calls.length > 0) this.#sort(calls, delta)
    if (last && this.#undeclared.length > 0) {
      // The caller could not answer a call that the model made by mistake.
      if (!failed) delta.tool_calls = [...(delta.tool_calls ?? []), ...this.#undeclared].sort(byIndex)
      this.#undeclared = []
    }
    this.#answered ||= hasAnswer(delta)
    if (failed && !this.#answered) throw failedGeneration()
    this.#sources.add(candidate)
    if (last) this.#emitRest(delta, whole)
    if (reason !== null) this.finished = true
    const logprobs = logprobsOf(candidate.logprobsResult)
    const first = !this.#seen
    this.#seen = true
    if (reason === null && logprobs === undefined && !first && isEmpty(delta)) return undefined
    const choice: Writable<PartialChunkChoice> = { index: this.#index, delta }
    if (logprobs !== undefined) choice.logprobs = logprobs
    if (reason !== null) choice.finish_reason = reason
    return choice
  }

  /** The calls that still wait for the end, where it does not come; `undefined` where there are none. */
  withheld(): PartialChunkChoice | undefined {
    const calls = this.#undeclared
    this.#undeclared = []
    return calls.length === 0 ? undefined : { index: this.#index, delta: { tool_calls: calls } }
  }

  #readParts(content: unknown, delta: Writable<PartialMessage>, order?: PartialMessage[]): PartialToolCall[] {
    const calls: PartialToolCall[] = []
    const parts = isFields(content) ? content.parts : undefined
    if (!Array.isArray(parts)) return calls
    let text = ''
    let thoughts = ''
    for (const part of parts) {
      if (!isFields(part)) continue
      const signature = textOf(part.thoughtSignature)
      if (isFields(part.functionCall)) {
        const before = calls.length
        this.#calls.read(part.functionCall, signature, calls)
        if (order !== undefined) addCalls(calls, before, order)
        continue
      }
      if (signature !== undefined) this.#keepSignature(signature)
      if (typeof part.text !== 'string') continue
      const thought = part.thought === true
      if (thought) thoughts += part.text
      else text += part.text
      if (part.text !== '') order?.push(thought ? { reasoning_content: part.text } : { content: part.text })
    }
    if (thoughts !== '') delta.reasoning_content = thoughts
    if (text !== '') {
      delta.content = text
      this.#sources.measure(text)
    }
    return calls
  }

  /** Calls of tools that the caller did not give wait for the end, which may say that they were a mistake. */
  #sort(calls: readonly PartialToolCall[], delta: Writable<PartialMessage>): void {
    const declaredCalls: PartialToolCall[] = []
    for (const call of calls) {
      if (this.#declared.has(call.function?.name ?? '')) declaredCalls.push(call)
      else if (this.#undeclared.push(call) > maxUndeclared) throw garbledResponse('calls without end')
    }
    if (declaredCalls.length > 0) delta.tool_calls = declaredCalls
  }

  #keepSignature(signature: string): void {
    this.#signatureSize += signature.length
    if (this.#signatureSize > maxSignatures) throw garbledResponse('signatures without end')
    this.#signatures.push(signature)
  }

  /** Adds what the protocol sends only once: signatures, annotations and the calls that waited. */
  #emitRest(delta: Writable<PartialMessage>, whole: boolean): void {
    if (this.#signatures.length > 0) {
      delta.reasoning_details = this.#signatures.map(data => this.#detail(data))
      this.#signatures = []
    }
    const annotations = this.#sources.take(whole ? (delta.content ?? '') : undefined)
    if (annotations.length > 0) delta.annotations = annotations
  }

  #detail(data: string): JsonObject {
    return { type: 'reasoning.encrypted', data, format: signatureFormat, index: this.#signed++ }
  }
}

/** Returns a choice as one for each of its parts, in their order, then what belongs to all of them. */
export function splitChoice(
  choice: PartialChunkChoice,
  order: readonly PartialMessage[],
): readonly PartialChunkChoice[] {
  const { index, delta } = choice
  const { content, reasoning_content, tool_calls, ...rest } = delta
  const kept = new Set(tool_calls)
  const parts = order.filter(({ tool_calls: calls = [] }) => calls.every(call => kept.has(call)))
  return [...parts.map(part => ({ index, delta: part })), { ...choice, delta: rest }]
}

/** Adds the calls from a position on. */
function addCalls(calls: readonly PartialToolCall[], from: number, order: PartialMessage[]): void {
  for (let at = from; at < calls.length; at++) order.push({ tool_calls: [calls[at]!] })
}

function byIndex(a: PartialToolCall, b: PartialToolCall): number {
  return (a.index ?? 0) - (b.index ?? 0)
}

function isEmpty(message: PartialMessage): boolean {
  for (const _key in message) return false
  return true
}

/** Each `finishReason` that means anything but the end of an answer. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
])

/**
 * A candidate's `finishReason` as the protocol's; `null` where it has none yet. It is `STOP` also for calls,
 * which the gateway puts right.
 */
function finishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  return finishReasons.get(value) ?? 'stop'
}

/** A candidate's `logprobsResult` in the protocol's form, or `undefined` if it has no token. */
function logprobsOf(result: unknown): Logprobs | undefined {
  if (!isFields(result)) return undefined
  const chosen = objectsOf(result.chosenCandidates)
  if (chosen === undefined) return undefined
  const top = Array.isArray(result.topCandidates) ? result.topCandidates : []
  const content = chosen.map((token, index): TokenLogprob => {
    const others: unknown = top[index]
    const candidates = isFields(others) ? objectsOf(others.candidates) : undefined
    return { ...tokenOf(token), top_logprobs: (candidates ?? []).map(tokenOf) }
  })
  return { content, refusal: null }
}

/** A token without `bytes`: Gemini sends none, and the text of half a character does not determine them. */
function tokenOf({ token, logProbability }: Fields): Omit<TokenLogprob, 'top_logprobs'> {
  return {
    token: typeof token === 'string' ? token : '',
    // The protocol's own word for a token that is too unlikely to be counted.
    logprob: typeof logProbability === 'number' ? logProbability : -9999,
    bytes: null,
  }
}
