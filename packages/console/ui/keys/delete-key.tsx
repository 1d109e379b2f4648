import type { KeyRow } from '../../src/api.ts'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'

/** Asks whether a key is to be deleted. */
export function DeleteKey({ row, onDeleted, onClose }: { row: KeyRow; onDeleted(): void; onClose(): void }) {
  const { api } = useSession()
  return (
    <DialogForm
      title={`Delete ${row.name}?`}
      button="Delete the key"
      danger
      work={async () => {
        await api.remove(row.id)
        onDeleted()
      }}
      onClose={onClose}
    >
      <p>
        Whoever uses it is refused within seconds, and it cannot be brought back. What it has used stays in
        the ledger. A key that may be needed again is better disabled.
      </p>
    </DialogForm>
  )
}
