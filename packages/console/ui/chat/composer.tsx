import { useRef } from 'preact/hooks'

/** Where one writes. Enter sends, Shift and Enter begin a line. */
export function Composer({
  draft,
  running,
  begun,
  onWrite,
  onSend,
  onStop,
  onClear,
}: {
  draft: string
  running: boolean
  begun: boolean
  onWrite(draft: string): void
  onSend(): Promise<void>
  onStop(): void
  onClear(): void
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    if (!running) void onSend()
  }
  const typed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
  }
  const clear = () => {
    onClear()
    field.current?.focus()
  }
  return (
    <form class="composer" onSubmit={submit}>
      <label class="hidden" for="draft">
        Message
      </label>
      <textarea
        id="draft"
        ref={field}
        rows={2}
        placeholder="Write a message"
        value={draft}
        onInput={event => onWrite(event.currentTarget.value)}
        onKeyDown={typed}
      />
      <div class="composer-buttons">
        <span class="muted small hint">Enter sends, Shift + Enter adds a line</span>
        {begun && (
          <button class="button quiet" type="button" onClick={clear}>
            New chat
          </button>
        )}
        {running ? (
          <button class="button stop" type="button" onClick={onStop} key="stop">
            Stop
          </button>
        ) : (
          <button class="button primary" type="submit" disabled={draft.trim() === ''} key="send">
            Send
          </button>
        )}
      </div>
    </form>
  )
}
