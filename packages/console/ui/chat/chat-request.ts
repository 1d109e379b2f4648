import type { About } from '../../src/api.ts'
import type { ChatOptions, SentRequest, Turn } from './chat-types.ts'

/**
 * The request that a conversation makes. What failed or was never answered is left out of it. With a caller's key it goes to
 * the gateway, as any client's; without one to the console's server, which takes the admin key. The page stands at
 * `console/` of the same mount.
 */
export function chatRequest(
  { base }: Pick<About, 'base'>,
  options: ChatOptions,
  turns: readonly Turn[],
  adminKey: string,
): SentRequest {
  const callerKey = options.callerKey.trim()
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
  const asConsole = callerKey === ''
  return {
    url: new URL(asConsole ? 'api/chat' : `..${base}/chat/completions`, document.baseURI).href,
    as: asConsole ? 'console' : 'caller',
    key: asConsole ? adminKey : callerKey,
    body: JSON.stringify(body, null, 2),
  }
}

function isSaid({ role, text }: Turn): boolean {
  return role === 'user' || text !== ''
}
