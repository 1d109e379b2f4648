import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { About } from '../../src/api.ts'
import type { Chat } from '../chat/chat.ts'
import type { LiveFeed } from '../requests/live-feed.ts'
import type { ConsoleApi } from '../server/console-api.ts'
import type { KeyNames } from './key-names.ts'

/** What the views have while somebody is signed in. */
export interface Session {
  readonly about: About
  readonly api: ConsoleApi
  readonly feed: LiveFeed
  readonly chat: Chat
  readonly names: KeyNames
  signOut(): void
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** The session. Throws outside of one. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession() was called outside of a session.')
  return session
}
