import { useState } from 'preact/hooks'
import { Mark } from '../shell/mark.tsx'
import { OwnUsageForm } from './own-usage-form.tsx'

/** Asks for the admin key. */
export function SignIn({
  problem,
  onKey,
  onCallerKey,
}: {
  problem: string | undefined
  onKey(key: string): void
  /** The API key of a caller, who wants to see its own usage. */
  onCallerKey(key: string): void
}) {
  const [key, setKey] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (key.trim() !== '') onKey(key.trim())
  }
  return (
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit={submit}>
        <Mark />
        <h1>Sluice console</h1>
        <p class="muted">Sign in with the admin key. It is stored in this tab only, until you close it.</p>
        <label class="field">
          <span>Admin key</span>
          <input
            type="password"
            name="admin-key"
            autocomplete="off"
            autofocus
            required
            value={key}
            onInput={event => setKey(event.currentTarget.value)}
          />
        </label>
        {problem !== undefined && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <button class="button primary" type="submit">
          Sign in
        </button>
      </form>
      <OwnUsageForm onKey={onCallerKey} />
    </main>
  )
}
