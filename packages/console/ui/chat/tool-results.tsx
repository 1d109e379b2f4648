import { useState } from 'preact/hooks'
import type { ToolCall } from './chat-types.ts'

/** Asks for the result of each tool call, and sends them together. */
export function ToolResults({
  calls,
  of,
  onResults,
}: {
  calls: readonly ToolCall[]
  /** The model, where several are compared. */
  of: string | undefined
  onResults(results: readonly string[]): void
}) {
  const [typed, setTyped] = useState<readonly string[]>(() => calls.map(() => ''))
  const isComplete = typed.every(text => text.trim() !== '')
  const submit = (event: Event) => {
    event.preventDefault()
    if (isComplete) onResults(typed)
  }
  return (
    <form class="tool-results stack" onSubmit={submit}>
      {calls.map((call, at) => (
        <label key={call.id} class="field">
          <span>
            Result of {call.name}
            {calls.length > 1 && ` (${at + 1} of ${calls.length})`}
            {of !== undefined && `, for ${of}`}
          </span>
          <textarea
            class="code-field"
            rows={2}
            spellcheck={false}
            placeholder='Text or JSON, such as {"celsius": 21}'
            value={typed[at] ?? ''}
            onInput={event => {
              const text = event.currentTarget.value
              setTyped(last => last.map((each, index) => (index === at ? text : each)))
            }}
          />
        </label>
      ))}
      <div class="row">
        <button class="button primary" type="submit" disabled={!isComplete}>
          {calls.length === 1 ? 'Send result' : 'Send results'}
        </button>
      </div>
    </form>
  )
}
