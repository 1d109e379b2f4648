import type { ModelName } from '../gateway/terms.ts'

/** What one request is about: who asks, what the upstream does, and what the client does. */
export interface Errand {
  /** Whose it is, in every log. No other request has it. */
  readonly mark: string
  readonly model: ModelName
  readonly stream: boolean
  /** `refuse`: 500 or so; `reset`: no answer at all; `cut`: breaks off in the middle. */
  readonly does: 'answer' | 'refuse' | 'reset' | 'cut'
  /** How many tokens a whole answer has, and how far they are apart in milliseconds. */
  readonly tokens: number
  readonly paceMs: number
  /** After how many tokens the client leaves. */
  readonly leavesAfter?: number
}

/** One token of every answer. Whoever has to guess takes four characters for one: it finds the right number. */
export const token = 'tok '

const promptChars = 240
/** What a guess takes the prompt for. */
export const guessedPrompt = promptChars / 4

/** What is reserved for a request: its prompt, at a token for three bytes of the body, and all of the output that it may have. */
export function reservedOf(errand: Errand): {
  readonly promptTokens: number
  readonly completionTokens: number
} {
  const body = bodyOf(errand)
  const { max_completion_tokens: bound = 4_096 } = JSON.parse(body) as { max_completion_tokens?: number }
  return { promptTokens: Math.ceil(Buffer.byteLength(body) / 3), completionTokens: bound }
}

/** An errand of chance: short and long ones, and one in seven that goes wrong. */
export function errandOf(mark: string, random: () => number, longMs: number): Errand {
  const chance = random()
  const pick = <T>(...of: readonly [T, ...T[]]): T => of[Math.floor(random() * of.length)] ?? of[0]
  const paceMs = pick(20, 40, 80, 120)
  const long = random() < 0.6
  const most = Math.max(2, longMs / paceMs)
  const tokens = 1 + Math.floor(random() * (long ? most : 8))
  const does = chance < 0.04 ? 'refuse' : chance < 0.06 ? 'reset' : chance < 0.1 ? 'cut' : 'answer'
  return {
    mark,
    model: random() < 0.8 ? 'paid' : 'free',
    stream: random() < 0.9,
    does,
    tokens,
    paceMs,
    ...(chance > 0.95 ? { leavesAfter: Math.floor(random() * tokens) } : {}),
  }
}

/** The request's body. It holds the errand: the upstream does as it is told. */
export function bodyOf(errand: Errand): string {
  const { model, stream, tokens } = errand
  return JSON.stringify({
    model,
    messages: [{ role: 'user', content: JSON.stringify(errand).padEnd(promptChars) }],
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    // The others get the bound of the gateway.
    ...(tokens % 2 === 0 ? { max_completion_tokens: tokens + 50 } : {}),
  })
}

/** The errand of a request that has come to the upstream. */
export function errandIn(body: string): Errand {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] }
  return JSON.parse(messages[0]?.content ?? '') as Errand
}

/** What the upstream counts for a whole answer: never what anybody would guess. */
export function countsOf({ tokens }: Errand): { promptTokens: number; completionTokens: number } {
  return { promptTokens: 500 + (tokens % 10), completionTokens: tokens + 3 }
}
