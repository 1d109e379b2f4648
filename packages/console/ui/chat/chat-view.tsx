import { useEffect, useState } from 'preact/hooks'

type Screen = typeof import('./chat-screen.tsx')['ChatScreen']

let loaded: Screen | undefined

/** The chat. Its code, with the reader of markdown, is loaded when it is opened. */
export function ChatView() {
  const [Screen, setScreen] = useState(() => loaded)
  const [problem, setProblem] = useState(false)
  useEffect(() => {
    if (Screen !== undefined) return
    import('./chat-screen.tsx').then(
      ({ ChatScreen }) => {
        loaded = ChatScreen
        setScreen(() => ChatScreen)
      },
      () => setProblem(true),
    )
  }, [Screen])
  if (Screen !== undefined) return <Screen />
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
