import { type Plan, wordsOf } from '../plan.ts'
import { signatureOf } from '../signature.ts'

const stopReasons = {
  done: 'end_turn',
  'stop sequence': 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
} as const

type Block =
  | {
      readonly reasoningContent: {
        readonly reasoningText: { readonly text: string; readonly signature: string }
      }
    }
  | { readonly text: string }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: object } }

let made = 0

/** A whole answer of Converse. */
export function converseAnswer(plan: Plan): object {
  return {
    metrics: { latencyMs: 532 },
    output: { message: { content: contentOf(plan), role: 'assistant' } },
    stopReason: stopReasons[plan.end],
    usage: usageOf(plan),
  }
}

/** An event of a stream: its type and its payload. */
export type ConverseEvent = readonly [type: string, payload: object]

/** The events of a streamed one. Text and reasoning begin without a start; the counts come last. */
export function converseEvents(plan: Plan): ConverseEvent[] {
  return [
    ['messageStart', { role: 'assistant' }],
    ...contentOf(plan).flatMap((block, contentBlockIndex) => {
      const delta = (delta: object): ConverseEvent => ['contentBlockDelta', { contentBlockIndex, delta }]
      const stop: ConverseEvent = ['contentBlockStop', { contentBlockIndex }]
      return [...eventsOf(block, contentBlockIndex, delta), stop]
    }),
    ['messageStop', { stopReason: stopReasons[plan.end] }],
    ['metadata', { metrics: { latencyMs: 605 }, usage: usageOf(plan) }],
  ]
}

function eventsOf(
  block: Block,
  contentBlockIndex: number,
  delta: (delta: object) => ConverseEvent,
): ConverseEvent[] {
  if ('text' in block) return wordsOf(block.text).map(text => delta({ text }))
  if ('reasoningContent' in block) {
    const { text, signature } = block.reasoningContent.reasoningText
    return [
      ...wordsOf(text).map(word => delta({ reasoningContent: { text: word } })),
      delta({ reasoningContent: { text: '' } }),
      delta({ reasoningContent: { signature } }),
    ]
  }
  const { input, ...start } = block.toolUse
  const json = JSON.stringify(input)
  const pieces = json === '{}' ? [] : [json.slice(0, 7), json.slice(7)]
  return [
    ['contentBlockStart', { contentBlockIndex, start: { toolUse: start } }],
    ...pieces.map(piece => delta({ toolUse: { input: piece } })),
  ]
}

function contentOf({ thinking, text, calls }: Plan): Block[] {
  const signature = signatureOf('anthropic', thinking ?? '')
  return [
    ...(thinking === undefined
      ? []
      : [{ reasoningContent: { reasoningText: { text: thinking, signature } } }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ name, input }) => ({
      toolUse: { toolUseId: `tooluse_StandIn${++made}`, name, input },
    })),
  ]
}

function usageOf({ usage }: Plan): object {
  return {
    inputTokens: usage.prompt - usage.cached,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cached,
    cacheWriteInputTokens: 0,
    totalTokens: usage.prompt + usage.output,
    serverToolUsage: {},
  }
}
