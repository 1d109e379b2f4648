import { createChat } from '../chat/chat.ts'
import { liveFeed } from '../requests/live-feed.ts'
import { consoleApi } from '../server/console-api.ts'
import { keyNames } from './key-names.ts'
import type { Session } from './session.ts'

/** Signs in. `leave` is called when somebody signs out, or when the key is not the admin key any more. */
export async function openSession(
  key: string,
  signal: AbortSignal,
  leave: (why?: string) => void,
): Promise<Session> {
  const api = consoleApi(key, () => leave('Invalid admin key.'))
  const about = await api.about(signal)
  return {
    about,
    api,
    feed: liveFeed(api),
    chat: createChat(key, about, api),
    names: keyNames(about.keys ? () => api.keys() : undefined),
    signOut: () => leave(),
  }
}
