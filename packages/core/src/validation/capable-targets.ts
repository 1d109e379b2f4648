import type { Operation } from '../contracts/outline.ts'
import type { Capabilities, Target } from '../contracts/provider.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { GatewayError } from '../errors/errors.ts'
import type { ChatRequest, Message } from '../protocol/chat.ts'
import { quotedList } from '../protocol/error-messages.ts'
import { requestFor } from './overridden-settings.ts'
import { speaks } from './speaks.ts'

/** What a request needs from a target. */
interface Fit {
  readonly operation: Operation
  /** Whether to apply the rules of hosted services for reasoning models and others. */
  readonly live: boolean
  /** Size of the request body in bytes. */
  readonly bytes: number
  /** Estimates prompt and output tokens together. Called only if a target has a context length. */
  readonly estimateTokens: () => number
  /** Called with each target that cannot serve the request. */
  readonly skip: (target: Target, why: SkipReason) => void
}

/**
 * Returns the targets that can serve a request, by their known capabilities, in order. Targets whose context length is likely
 * exceeded come last. Only those that it certainly exceeds are removed: the prompt has more words than the context has tokens.
 *
 * @throws GatewayError 400, with the reason of the first target, if no target remains.
 */
export function selectCapableTargets<T extends Target>(
  request: GenerateRequest,
  targets: readonly T[],
  fit: Fit,
): readonly T[] {
  // Computed when the first target needs them: a request that all targets get as it came is not translated.
  let parts: readonly InputPart[] | undefined
  const capable: T[] = []
  const tight: T[] = []
  let reason: GatewayError | undefined
  let words: number | undefined
  let tokens: number | undefined
  for (const target of targets) {
    const { capabilities } = target
    if (capabilities === undefined) {
      capable.push(target)
      continue
    }
    const { contextTokens = Number.POSITIVE_INFINITY } = capabilities
    let unsupported = unsupportedOperation(fit.operation, capabilities)
    // The vendor judges a request that it gets as it came. What is only counted may be too long for a model.
    if (unsupported === undefined && fit.operation !== 'countTokens' && !passesTo(target, request)) {
      const input = request.chat()
      parts ??= inputParts(input.messages)
      // A word has at least two bytes, so a short prompt need not be counted.
      if (fit.bytes / 2 > contextTokens) words ??= wordCount(input.messages)
      const asked = requestFor(request, target)?.request.chat() ?? input
      unsupported = unsupportedFeature(asked, { parts, words: words ?? 0 }, capabilities, fit.live)
    }
    if (unsupported !== undefined) {
      const found = inCallersWords(unsupported, request)
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

function passesTo(target: Target, request: GenerateRequest): boolean {
  if (request.operation === 'complete') return true
  return request.native !== undefined && speaks(target, request.dialect)
}

/** Names the field of an error as the caller has it. */
function inCallersWords(error: GatewayError, request: GenerateRequest): GatewayError {
  const { param } = error
  const path = param === null ? null : request.pathOf(param)
  if (path === null || path === param) return error
  return new GatewayError(error.reason, {
    message: error.message.replaceAll(`'${param}'`, `'${path}'`),
    param: path,
  })
}

const partTypes = { image: 'image_url', audio: 'input_audio', file: 'file', video: 'video_url' } as const

/** Fields for which reasoning models accept only the default. */
const fixedForReasoning = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const

/** A summary of the messages of a request. */
interface Messages {
  /** Their parts other than text. */
  readonly parts: readonly InputPart[]
  /** Number of words, a lower bound of their tokens. 0 if they are too short to matter. */
  readonly words: number
}

/**
 * Returns why a model cannot serve a request, or `undefined` if it can.
 *
 * @param live - whether to apply the rules of hosted services for reasoning models and others.
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
  const misfit = unsupportedOutput(input, capabilities)
  if (misfit !== undefined || !live) return misfit
  if (reasoning === true) return unsupportedReasoning(input)
  return reasoning === false && input.reasoning_effort !== undefined
    ? unsupported('reasoning_effort', '')
    : undefined
}

/** What operations are called in errors. */
export const operationNames: Readonly<Record<Operation, string>> = {
  generate: 'generated answers',
  embed: 'embeddings',
  countTokens: 'token counts',
  rerank: 'reranking',
  moderate: 'moderation',
  complete: 'text completions',
}

/** Returns the error for an operation that a model does not support, or `undefined`. */
export function unsupportedOperation(
  operation: Operation,
  { operations }: Capabilities,
): GatewayError | undefined {
  // The prompt of any answer can be counted, at least by an estimate.
  const needed: Operation = operation === 'countTokens' ? 'generate' : operation
  if (operations === undefined || operations.includes(operation) || operations.includes(needed))
    return undefined
  const supported = operations.map(each => operationNames[each]).join(' and ')
  return new GatewayError('unsupported_value', {
    message: `This model does not support ${operationNames[operation]}. It supports ${supported || 'nothing else'}.`,
    param: 'model',
  })
}

function unsupportedOutput(
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

function unsupportedReasoning(input: ChatRequest): GatewayError | undefined {
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
 * Counts words: runs of characters other than ASCII white space. It is a lower bound of the tokens, because tokenizers split
 * text at white space first and never merge two words into one token.
 */
export function wordCount(messages: readonly Message[]): number {
  let words = 0
  for (const { content } of messages) {
    if (typeof content === 'string') words += wordsOf(content)
    else for (const part of content ?? []) if (part.type === 'text') words += wordsOf(part.text)
  }
  return words
}

/** Returns the number of words of a text. */
export function wordsOf(text: string): number {
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

/** A content type of messages other than text. */
export type InputKind = 'image' | 'audio' | 'file' | 'video'

/** A message part that not every model supports. */
interface InputPart {
  readonly kind: InputKind
  /** Its `type` in the request. */
  readonly type: string
  /** `messages[0].content[1].type` */
  readonly path: string
}

/** The kinds of input by the types of message parts. */
const inputKinds: ReadonlyMap<unknown, InputKind> = new Map<unknown, InputKind>([
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['audio_url', 'audio'],
  ['file', 'file'],
  ['document_url', 'file'],
  ['file_url', 'file'],
  ['video_url', 'video'],
])

/** Returns the first part of each kind. */
function inputParts(messages: readonly Message[]): readonly InputPart[] {
  const found = new Map<InputKind, InputPart>()
  for (const [index, { role, content }] of messages.entries()) {
    if ((role !== 'user' && role !== 'tool') || !Array.isArray(content)) continue
    for (const [at, { type }] of content.entries()) {
      const kind = inputKinds.get(type)
      if (kind === undefined || found.has(kind)) continue
      found.set(kind, { kind, type, path: `messages[${index}].content[${at}].type` })
    }
  }
  return Array.from(found.values())
}
