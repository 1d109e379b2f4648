import type { KeyRow } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'

/** Asks whether a key is to be deleted. */
export function DeleteKey({ row, onDeleted, onClose }: { row: KeyRow; onDeleted(): void; onClose(): void }) {
  const { api } = useSession()
  return (
    <DialogForm
      title={`Delete ${row.name}?`}
      button="Delete key"
      danger
      work={async () => {
        await api.remove(row.id)
        onDeleted()
      }}
      onClose={onClose}
    >
      <p>
        Requests with this key are rejected within seconds. This cannot be undone. Its usage stays in the
        ledger. Disable a key instead if you may need it again.
      </p>
    </DialogForm>
  )
}
