import { useState } from 'preact/hooks'
import type { KeyRow } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'
import { keyChange, toFormValues } from './key-change.ts'
import { KeyFields } from './key-fields.tsx'

/** Changes what a key may do. What somebody else changed meanwhile stays, where it is not changed here, too. */
export function EditKey({ row, onChanged, onClose }: { row: KeyRow; onChanged(): void; onClose(): void }) {
  const { api } = useSession()
  const [before] = useState(() => toFormValues(row))
  const [typed, setTyped] = useState(before)
  return (
    <DialogForm
      title={`Edit ${row.name}`}
      button="Save"
      work={async () => {
        const change = keyChange(row, before, typed)
        if (Object.keys(change).length > 0) await api.change(row.id, change)
        onChanged()
      }}
      onClose={onClose}
    >
      <KeyFields typed={typed} onChange={setTyped} />
      <p class="muted small">Changes take effect within seconds. An empty field sets no restriction.</p>
    </DialogForm>
  )
}
