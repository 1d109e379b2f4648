import type { IssuedKeyRow } from '../../src/api.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** Shows a fresh key, this once. */
export function NewKeyDialog({ issued, onClose }: { issued: IssuedKeyRow; onClose(): void }) {
  return (
    <Dialog title={`API key of ${issued.name}`} onClose={onClose}>
      <div class="stack">
        <p>Copy it now: it is shown only once. The gateway stores only a hash.</p>
        <textarea
          class="key-text"
          readOnly
          rows={2}
          aria-label="API key"
          value={issued.key}
          onFocus={event => event.currentTarget.select()}
        />
        <div class="row">
          <CopyButton text={issued.key} label="Copy key" />
          <button class="button primary push" type="button" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  )
}
