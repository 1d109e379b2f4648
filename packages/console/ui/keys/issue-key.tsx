import { useState } from 'preact/hooks'
import type { IssuedKeyRow } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'
import { LimitFields } from './limit-fields.tsx'
import { emptyKey, keyForm, type TypedKey } from './typed-key.ts'

/** Asks what a new key is for, and issues it. */
export function IssueKey({ onIssued, onClose }: { onIssued(row: IssuedKeyRow): void; onClose(): void }) {
  const { api } = useSession()
  const [typed, setTyped] = useState<TypedKey>(emptyKey)
  const set = (change: Partial<TypedKey>) => setTyped(last => ({ ...last, ...change }))
  return (
    <DialogForm
      title="Issue a key"
      button="Issue the key"
      work={async () => onIssued(await api.issue(keyForm(typed)))}
      onClose={onClose}
    >
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
        <small class="muted">Names with commas between; * stands for any text.</small>
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
        <label class="field">
          <span>Expires</span>
          <input
            type="datetime-local"
            value={typed.expiresAt}
            onInput={event => set({ expiresAt: event.currentTarget.value })}
          />
        </label>
      </div>
      <LimitFields limits={typed.limits} onChange={limits => set({ limits })} />
    </DialogForm>
  )
}
