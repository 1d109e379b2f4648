import { useState } from 'preact/hooks'
import type { KeyRow } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'
import { keyChange, typedOf } from './key-change.ts'
import { KeyFields } from './key-fields.tsx'

/** Changes what a key may do. What somebody else changed meanwhile stays, where it is not changed here, too. */
export function EditKey({ row, onChanged, onClose }: { row: KeyRow; onChanged(): void; onClose(): void }) {
  const { api } = useSession()
  const [before] = useState(() => typedOf(row))
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
      <p class="muted small">
        Whoever uses it is held to this within seconds. What is left empty does not bind it.
      </p>
    </DialogForm>
  )
}
