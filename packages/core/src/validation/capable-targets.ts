import type { Capabilities, Target } from '../contracts/provider.ts'
import type { SkipReason } from '../contracts/trace.ts'
import { GatewayError } from '../errors/errors.ts'
import type { ChatRequest, Message } from '../protocol/chat.ts'
import { quotedList } from '../protocol/wording.ts'
import { overrideInput } from './overridden-input.ts'

/** What is asked of the targets. */
interface Fit {
  /** Also what hosted services ask of reasoning models and of others. */
  readonly live: boolean
  /** Size of the request's body. */
  readonly bytes: number
  /** How many tokens prompt and answer are likely to have together. Is asked where a target has a bound of them. */
  readonly estimateTokens: () => number
  /** Is told of those that cannot take it. */
  readonly skip: (target: Target, why: SkipReason) => void
}

/**
 * The targets that can take a request, as far as their capabilities are known, in their order; those after the others
 * that the request likely does not fit in. Only those are left out that it surely does not fit in: a prompt with more
 * words than the context has tokens.
 *
 * @throws GatewayError 400, with the first target's reason, when there is none.
 */
export function selectCapableTargets<T extends Target>(
  input: ChatRequest,
  targets: readonly T[],
  fit: Fit,
): readonly T[] {
  const parts = inputParts(input.messages)
  const capable: T[] = []
  const tight: T[] = []
  let reason: GatewayError | undefined
  let words: number | undefined
  let tokens: number | undefined
  for (const target of targets) {
    const { capabilities, parameters } = target
    if (capabilities === undefined) {
      capable.push(target)
      continue
    }
    const { contextTokens = Number.POSITIVE_INFINITY } = capabilities
    // Two bytes are one word at most: nobody counts those of a short prompt.
    if (fit.bytes / 2 > contextTokens) words ??= wordCount(input.messages)
    const asked = parameters === undefined ? input : overrideInput(input, parameters).input
    const found = unsupportedFeature(asked, { parts, words: words ?? 0 }, capabilities, fit.live)
    if (found !== undefined) {
      reason ??= found
      const why = found.reason === 'context_length_exceeded' ? 'too_small' : 'unfit'
      fit.skip(target, { why, ...(found.param !== null && { detail: found.param }) })
      continue
    }
    if (contextTokens !== Number.POSITIVE_INFINITY) tokens ??= fit.estimateTokens()
    if (tokens !== undefined && tokens > contextTokens) tight.push(target)
    else capable.push(target)
  }
  if (capable.length + tight.length === 0 && reason !== undefined) throw reason
  return tight.length === 0 ? capable : [...capable, ...tight]
}

const partTypes = { image: 'image_url', audio: 'input_audio', file: 'file' } as const

/** Fields of which reasoning models take no value but the default. */
const fixedForReasoning = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const

/** What is known of a request's messages. */
interface Messages {
  /** What they hold besides text. */
  readonly parts: readonly InputPart[]
  /** How many words they have: they have as many tokens at least. 0 where they are too short for that to matter. */
  readonly words: number
}

/**
 * Why a model cannot take a request, as far as its capabilities are known; `undefined`: it can.
 *
 * @param live - also asks what hosted services ask of reasoning models and of others.
 */
function unsupportedFeature(
  input: ChatRequest,
  { parts, words }: Messages,
  capabilities: Capabilities,
  live: boolean,
): GatewayError | undefined {
  const { input: kinds, maxChoices, reasoning, contextTokens } = capabilities
  if (maxChoices !== undefined && input.n !== undefined && input.n > maxChoices) {
    return new GatewayError('integer_above_max_value', {
      message: `Invalid 'n': integer above maximum value. Expected a value <= ${maxChoices}, but got ${input.n} instead.`,
      param: 'n',
    })
  }
  if (kinds !== undefined) {
    const part = parts.find(({ kind }) => !kinds.includes(kind))
    if (part !== undefined) {
      const taken = ['text', ...kinds.map(kind => partTypes[kind])]
      return new GatewayError('invalid_value', {
        message: `Invalid value: '${part.type}' is not supported with this model. Supported values are: ${quotedList(taken)}.`,
        param: part.path,
      })
    }
  }
  if (contextTokens !== undefined && words > contextTokens) {
    return new GatewayError('context_length_exceeded', {
      message: `This model's maximum context length is ${contextTokens} tokens. However, your messages have ${words} words, and so no fewer tokens. Please reduce the length of the messages.`,
      param: 'messages',
    })
  }
  const misfit = outputMisfit(input, capabilities)
  if (misfit !== undefined || !live) return misfit
  if (reasoning === true) return reasoningMisfit(input)
  return reasoning === false && input.reasoning_effort !== undefined
    ? unsupported('reasoning_effort', '')
    : undefined
}

function outputMisfit(
  input: ChatRequest,
  { maxOutputTokens, tools, jsonSchema }: Capabilities,
): GatewayError | undefined {
  if (tools === false) {
    if (input.tools !== undefined && input.tools.length > 0) return unsupported('tools', '')
    if (input.functions !== undefined && input.functions.length > 0) return unsupported('functions', '')
  }
  if (jsonSchema === false && input.response_format?.type === 'json_schema') {
    return new GatewayError('unsupported_value', {
      message: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      param: 'response_format',
    })
  }
  const name = input.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens'
  const bound = input[name]
  if (maxOutputTokens === undefined || bound === undefined || bound <= maxOutputTokens) return undefined
  return new GatewayError('invalid_value', {
    message: `${name} is too large: ${bound}. This model supports at most ${maxOutputTokens} completion tokens, whereas you provided ${bound}.`,
    param: name,
  })
}

function reasoningMisfit(input: ChatRequest): GatewayError | undefined {
  if (input.max_tokens !== undefined)
    return unsupported('max_tokens', " Use 'max_completion_tokens' instead.")
  for (const [field, standard] of Object.entries(fixedForReasoning)) {
    const value = input[field]
    if (value === undefined || value === standard) continue
    return new GatewayError('unsupported_value', {
      message: `Unsupported value: '${field}' does not support ${String(value)} with this model. Only the default (${standard}) value is supported.`,
      param: field,
    })
  }
  return undefined
}

function unsupported(param: string, advice: string): GatewayError {
  return new GatewayError('unsupported_parameter', {
    message: `Unsupported parameter: '${param}' is not supported with this model.${advice}`,
    param,
  })
}

/**
 * How many words the messages have: runs of anything but ASCII white space. A prompt has no fewer tokens than that, as
 * the tokenizers in use split text at white space before anything else, and never join two words to one token. Text
 * without spaces, images, audio and files count next to nothing.
 */
export function wordCount(messages: readonly Message[]): number {
  let words = 0
  for (const { content } of messages) {
    if (typeof content === 'string') words += wordsOf(content)
    else for (const part of content ?? []) if ('text' in part) words += wordsOf(part.text)
  }
  return words
}

function wordsOf(text: string): number {
  let words = 0
  let inside = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const space = unit === 32 || (unit >= 9 && unit <= 13)
    if (!space && !inside) words++
    inside = !space
  }
  return words
}

/** A kind of message content other than text. */
export type InputKind = 'image' | 'audio' | 'file'

/** A part of a message that not every model takes. */
interface InputPart {
  readonly kind: InputKind
  /** Its `type`, as the caller wrote it. */
  readonly type: string
  /** `messages[0].content[1].type` */
  readonly path: string
}

const kinds: Readonly<Record<string, InputKind | undefined>> = {
  image_url: 'image',
  input_audio: 'audio',
  file: 'file',
}

/** The first part of each kind that the messages hold. */
function inputParts(messages: readonly Message[]): readonly InputPart[] {
  const found = new Map<InputKind, InputPart>()
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'user' || !Array.isArray(content)) continue
    for (const [at, { type }] of content.entries()) {
      const kind = kinds[type]
      if (kind === undefined || found.has(kind)) continue
      found.set(kind, { kind, type, path: `messages[${index}].content[${at}].type` })
    }
  }
  return Array.from(found.values())
}
