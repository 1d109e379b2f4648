import type { ChatRequest } from '@sluice/core'
import { answer } from './answer.ts'
import type { AnswerChoice, Completion } from './completion.ts'
import { hashedId } from './hash.ts'
import { type Hints, readHints } from './hints.ts'
import { limitText, tokenLimit } from './limits.ts'
import { countPromptTokens, type Prompt, readPrompt } from './prompt.ts'
import { objectAnswer, structuredAnswer } from './structured.ts'
import { countTokens, firstTokens, tokens } from './tokens.ts'
import { type Callable, chooseTools } from './tool-choice.ts'
import { toolInput } from './tool-input.ts'
import { countCompletionTokens } from './usage.ts'

/** What the local provider's own answer depends on beside the request. */
export interface Composing {
  /** Milliseconds since 1970, for questions about dates. */
  readonly now: number
  /** The most tokens of a prompt and its answer; absent: no limit. */
  readonly contextWindow?: number
  /** Identifies the request: equal requests have equal ones. */
  readonly seed: string
}

/**
 * The local provider's own answer to a request: calls of tools, structured data, or text. The same request
 * gives the same answer. Throws `Refused`.
 */
export function compose(request: ChatRequest, composing: Composing): Completion {
  const prompt = readPrompt(request.messages)
  const promptTokens = countPromptTokens(request)
  const limit = tokenLimit(request, promptTokens, composing.contextWindow)
  let reply: ((variant: number) => string) | undefined
  const inWords = (variant = 0) => {
    reply ??= answer(prompt, composing.now)
    return reply(variant)
  }
  const hints = () => readHints(prompt.text, composing.now, inWords)
  const tools = chooseTools(request, prompt)
  const calling =
    tools.length > 0 ? tools.map(tool => ({ tool, input: toolInput(tool, prompt.text, hints()) })) : undefined
  const structured = calling ? undefined : structuredText(request, prompt, hints, inWords)
  const choices: AnswerChoice[] = []
  for (let index = 0; index < (request.n ?? 1); index++) {
    const text = structured ?? (calling ? '' : inWords(index))
    choices.push(
      calling
        ? callChoice(calling, limit, `${composing.seed}:${index}`)
        : textChoice(text, limit, request.stop),
    )
  }
  return {
    choices,
    usage: { prompt_tokens: promptTokens, completion_tokens: countCompletionTokens(choices) },
    ...(request.logprobs === true ? { topLogprobs: request.top_logprobs ?? 0 } : {}),
  }
}

function structuredText(
  request: ChatRequest,
  prompt: Prompt,
  hints: () => Hints,
  inWords: () => string,
): string | undefined {
  const format = request.response_format
  if (format?.type === 'json_schema') return structuredAnswer(format, hints())
  if (format?.type === 'json_object') return objectAnswer(prompt, inWords)
  return undefined
}

function textChoice(text: string, limit: number, stop: ChatRequest['stop']): AnswerChoice {
  const limited = limitText(text, limit, stop)
  return { content: tokens(limited.text), finishReason: limited.finishReason }
}

/** Calls up to the token limit: a name that does not fit is not called, arguments that do not fit are cut. */
function callChoice(
  calling: readonly { tool: Callable; input: string }[],
  limit: number,
  seed: string,
): AnswerChoice {
  const calls: { tool: Callable; name: string; input: readonly string[] }[] = []
  let left = limit
  let whole = true
  for (const { tool, input } of calling) {
    left -= countTokens(tool.name)
    if (left < 0) {
      whole = false
      break
    }
    const kept = firstTokens(input, left)
    const pieces = tokens(kept.text)
    calls.push({ tool, name: tool.name, input: pieces })
    left -= pieces.length
    whole = kept.whole
    if (!whole) break
  }
  const [first] = calls
  if (first?.tool.form === 'deprecated') {
    const { name, input } = first
    return { functionCall: { name, input }, finishReason: whole ? 'function_call' : 'length' }
  }
  return {
    calls: calls.map(({ tool, name, input }, at) => ({
      type: tool.form === 'custom' ? 'custom' : 'function',
      id: `call_${hashedId(`${seed}:${at}`)}`,
      name,
      input,
    })),
    finishReason: whole ? 'tool_calls' : 'length',
  }
}
