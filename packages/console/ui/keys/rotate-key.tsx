import { useState } from 'preact/hooks'
import type { IssuedKeyRow, KeyRow } from '../../src/api.ts'
import { Choice } from '../parts/choice.tsx'
import { useSession } from '../session/session.ts'
import { DialogForm } from './dialog-form.tsx'

const hourMs = 3_600_000

/** Makes a new secret for a key; the old one goes on for a while. */
export function RotateKey({
  row,
  onRotated,
  onClose,
}: {
  row: KeyRow
  onRotated(row: IssuedKeyRow): void
  onClose(): void
}) {
  const { api } = useSession()
  const [overlap, setOverlap] = useState(String(hourMs))
  return (
    <DialogForm
      title={`Rotate ${row.name}`}
      button="Rotate"
      work={async () => onRotated(await api.rotate(row.id, Number(overlap)))}
      onClose={onClose}
    >
      <p>Creates a new secret. Permissions, limits and usage stay the same.</p>
      <Choice
        label="Keep the old secret valid for"
        value={overlap}
        options={[
          ['0', 'revoke it now'],
          [String(hourMs), '1 hour'],
          [String(24 * hourMs), '1 day'],
          [String(7 * 24 * hourMs), '7 days'],
        ]}
        onChange={setOverlap}
      />
    </DialogForm>
  )
}
