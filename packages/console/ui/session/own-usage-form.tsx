import { useState } from 'preact/hooks'
import { offersOwnUsage } from '../server/own-usage.ts'
import { useLoaded } from '../state/use-loaded.ts'

/** Asks a caller for its API key, where callers may see their own usage. */
export function OwnUsageForm({ onKey }: { onKey(key: string): void }) {
  const [key, setKey] = useState('')
  const offered = useLoaded(offersOwnUsage, [])
  if (offered.value !== true) return null
  const submit = (event: Event) => {
    event.preventDefault()
    if (key.trim() !== '') onKey(key.trim())
  }
  return (
    <form class="card sign-in-card" onSubmit={submit}>
      <h2>Your usage</h2>
      <p class="muted">
        With an API key you can see what it used. The key is forgotten when you close this page.
      </p>
      <label class="field">
        <span>API key</span>
        <input
          type="password"
          name="api-key"
          autocomplete="off"
          required
          value={key}
          onInput={event => setKey(event.currentTarget.value)}
        />
      </label>
      <button class="button" type="submit">
        Show usage
      </button>
    </form>
  )
}
