import { token } from './errand.ts'

/** How an answer ended, as the client that asked saw it. */
export type ClientEnd =
  /** Whole, with its usage. */
  | { readonly how: 'done'; readonly promptTokens: number; readonly completionTokens: number }
  /** A stream that ended with an error event, or an answer that is an error. */
  | { readonly how: 'failed' | 'refused'; readonly code: string; readonly message: string }
  /** The client left. */
  | { readonly how: 'left' }
  /** The connection broke after the head of the answer; before it. */
  | { readonly how: 'cut' | 'unanswered' }
  /** Something that no answer may be, such as a stream that ends well without an end. */
  | { readonly how: 'unsound'; readonly what: string }

/** What was received. */
export interface Received {
  /** 0 where no answer came. */
  readonly status: number
  readonly body: string
  readonly ended: 'whole' | 'broken' | 'left'
}

interface Part {
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
  readonly error?: { readonly code: string | null; readonly type: string; readonly message: string }
}

export function clientEnd({ status, body, ended }: Received, stream: boolean): ClientEnd {
  if (ended === 'left') return { how: 'left' }
  if (status === 0) return { how: 'unanswered' }
  const data = stream && status === 200 ? eventsOf(body) : [body]
  const last = data.at(-1) ?? ''
  const part = parsed(last === '[DONE]' ? (data.at(-2) ?? '') : last)
  if (part?.error !== undefined) {
    const { code, type, message } = part.error
    return { how: status === 200 ? 'failed' : 'refused', code: code ?? type, message }
  }
  const whole = stream ? last === '[DONE]' : ended === 'whole'
  if (!whole) {
    return ended === 'broken' ? { how: 'cut' } : { how: 'unsound', what: `ended with ${last.slice(0, 100)}` }
  }
  if (!part?.usage) return { how: 'unsound', what: `no usage in ${last.slice(0, 100)}` }
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = part.usage
  return { how: 'done', promptTokens, completionTokens }
}

/** How many tokens of an answer came. */
export function tokensIn(body: string): number {
  return body.split(token).length - 1
}

function eventsOf(body: string): string[] {
  return body
    .split('\n\n')
    .slice(0, -1)
    .filter(event => event.startsWith('data: '))
    .map(event => event.slice('data: '.length))
}

function parsed(text: string): Part | undefined {
  try {
    return JSON.parse(text) as Part
  } catch {
    return undefined
  }
}
