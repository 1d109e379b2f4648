import type { About } from '../../src/api.ts'
import { chatDialects } from './chat-dialects.ts'
import type { ChatOptions, SentRequest, Turn } from './chat-types.ts'

/**
 * The request that a conversation makes. With a caller's key it goes to the gateway, as any client's; without one to the console's
 * server, which takes the admin key. The page is at `console/` of the same mount.
 */
export function chatRequest(
  { base }: Pick<About, 'base'>,
  options: ChatOptions,
  turns: readonly Turn[],
  adminKey: string,
): SentRequest {
  const { dialect } = options
  const { path, consolePath, body } = chatDialects[dialect]
  const callerKey = options.callerKey.trim()
  const asConsole = callerKey === ''
  return {
    url: new URL(asConsole ? consolePath : `..${base}${path}`, document.baseURI).href,
    as: asConsole ? 'console' : 'caller',
    dialect,
    key: asConsole ? adminKey : callerKey,
    body: JSON.stringify(body(options, turns), null, 2),
  }
}
