import { useEffect, useState } from 'preact/hooks'
import { ApiError } from './server/api-error.ts'
import { openSession } from './session/open-session.ts'
import { type Session, SessionContext } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { clearKeys, findAdminKey, storeAdminKey } from './session/stored-keys.ts'
import { Shell } from './shell/shell.tsx'
import { OwnUsageView } from './usage/own-usage-view.tsx'

/** The page: signed in, or not yet. */
export function App() {
  const [key, setKey] = useState(findAdminKey)
  const [session, setSession] = useState<Session>()
  const [problem, setProblem] = useState<string>()
  const [callerKey, setCallerKey] = useState<string>()

  const leave = (why?: string) => {
    clearKeys()
    setKey(undefined)
    setProblem(why)
  }
  useEffect(() => {
    const found = () => {
      if (location.hash.startsWith('#key=')) setKey(findAdminKey())
    }
    addEventListener('hashchange', found)
    return () => removeEventListener('hashchange', found)
  }, [])
  useEffect(() => {
    if (key === undefined) return
    const opening = new AbortController()
    let opened: Session | undefined
    openSession(key, opening.signal, leave).then(
      next => {
        opened = next
        if (opening.signal.aborted) return next.feed.close()
        setProblem(undefined)
        setSession(next)
      },
      (error: Error) => {
        // Of a wrong key `leave` has told, in words of its own.
        if (opening.signal.aborted || (error instanceof ApiError && error.status === 401)) return
        setKey(undefined)
        setProblem(error.message)
      },
    )
    return () => {
      opening.abort()
      opened?.chat.stop()
      opened?.feed.close()
      setSession(undefined)
    }
  }, [key])

  if (key === undefined && callerKey !== undefined) {
    return <OwnUsageView apiKey={callerKey} onLeave={() => setCallerKey(undefined)} />
  }
  if (key === undefined) {
    const signIn = (given: string) => {
      storeAdminKey(given)
      setKey(given)
    }
    return <SignIn problem={problem} onKey={signIn} onCallerKey={setCallerKey} />
  }
  if (session === undefined) return <p class="opening">Opening the console …</p>
  return (
    <SessionContext.Provider value={session}>
      <Shell />
    </SessionContext.Provider>
  )
}
