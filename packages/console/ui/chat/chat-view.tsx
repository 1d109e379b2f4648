import { useEffect, useState } from 'preact/hooks'

type Screen = typeof import('./chat-screen.tsx')

let loaded: Screen | undefined

/** The chat. Its code, with the reader of markdown, is loaded when it is opened. */
export function ChatView() {
  const [screen, setScreen] = useState(loaded)
  const [problem, setProblem] = useState(false)
  useEffect(() => {
    if (screen !== undefined) return
    import('./chat-screen.tsx').then(
      module => {
        loaded = module
        setScreen(module)
      },
      () => setProblem(true),
    )
  }, [screen])
  if (screen !== undefined) return <screen.ChatScreen />
  return (
    <div class="chat-loading">
      <h1 class="hidden">Chat</h1>
      {problem ? (
        <p class="notice bad" role="alert">
          Cannot load the chat. The gateway may have been updated: reload the page.
        </p>
      ) : (
        <p class="muted">Loading the chat …</p>
      )}
    </div>
  )
}
