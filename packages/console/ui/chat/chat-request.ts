import type { ChatOptions, Turn } from './chat.ts'

/** A request as it is sent. */
export interface SentRequest {
  readonly url: string
  readonly key: string
  readonly body: string
}

/**
 * The request that a conversation makes. What failed or was never answered is left out of it. `base` is that of `About`:
 * the page stands at `console/` of the same mount.
 */
export function chatRequest(
  base: string,
  options: ChatOptions,
  turns: readonly Turn[],
  key: string,
): SentRequest {
  const system = options.system.trim()
  const body = {
    model: options.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.filter(isSaid).map(({ role, text }) => ({ role, content: text })),
    ],
    ...(options.temperature === '' ? {} : { temperature: Number(options.temperature) }),
    ...(options.maxTokens === '' ? {} : { max_completion_tokens: Number(options.maxTokens) }),
    stream: true,
    stream_options: { include_usage: true },
  }
  return {
    url: new URL(`..${base}/chat/completions`, document.baseURI).href,
    key,
    body: JSON.stringify(body, null, 2),
  }
}

function isSaid({ role, text }: Turn): boolean {
  return role === 'user' || text !== ''
}
