import { ExpiryFields } from './expiry-fields.tsx'
import type { KeyFormValues } from './key-form.ts'
import { LimitFields } from './limit-fields.tsx'

/** What a key is for, as it is typed. */
export function KeyFields({
  typed,
  onChange,
}: {
  typed: KeyFormValues
  onChange(typed: KeyFormValues): void
}) {
  const set = (change: Partial<KeyFormValues>) => onChange({ ...typed, ...change })
  return (
    <>
      <label class="field">
        <span>Name</span>
        <input
          required
          autofocus
          autocomplete="off"
          value={typed.name}
          placeholder="search service"
          onInput={event => set({ name: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Models</span>
        <input
          autocomplete="off"
          value={typed.models}
          placeholder="all"
          onInput={event => set({ models: event.currentTarget.value })}
        />
        <small class="muted">Names separated by commas; * matches any text.</small>
      </label>
      <div class="pair">
        <label class="field">
          <span>Tags</span>
          <input
            autocomplete="off"
            value={typed.tags}
            placeholder="team=search"
            onInput={event => set({ tags: event.currentTarget.value })}
          />
        </label>
        <ExpiryFields value={typed.expiresAt} onChange={expiresAt => set({ expiresAt })} />
      </div>
      <LimitFields limits={typed.limits} onChange={limits => set({ limits })} />
    </>
  )
}
