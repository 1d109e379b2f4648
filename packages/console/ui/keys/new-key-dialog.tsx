import type { IssuedKeyRow } from '../../src/api.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** Shows a fresh key, this once. */
export function ShownKey({ issued, onClose }: { issued: IssuedKeyRow; onClose(): void }) {
  return (
    <Dialog title={`The key of ${issued.name}`} onClose={onClose}>
      <div class="stack">
        <p>It is shown this once: only a digest of it is kept. Copy it now.</p>
        <textarea
          class="key-text"
          readOnly
          rows={2}
          aria-label="The key"
          value={issued.key}
          onFocus={event => event.currentTarget.select()}
        />
        <div class="row">
          <CopyButton text={issued.key} label="Copy the key" />
          <button class="button primary push" type="button" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  )
}
