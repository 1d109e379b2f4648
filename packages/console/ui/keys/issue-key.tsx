import { useState } from 'preact/hooks'
import type { IssuedKeyRow } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'
import { KeyFields } from './key-fields.tsx'
import { emptyKey, keyForm } from './key-form.ts'

/** Asks what a new key is for, and issues it. */
export function IssueKey({ onIssued, onClose }: { onIssued(row: IssuedKeyRow): void; onClose(): void }) {
  const { api } = useSession()
  const [typed, setTyped] = useState(emptyKey)
  return (
    <DialogForm
      title="Create a key"
      button="Create key"
      work={async () => onIssued(await api.issue(keyForm(typed)))}
      onClose={onClose}
    >
      <KeyFields typed={typed} onChange={setTyped} />
    </DialogForm>
  )
}
