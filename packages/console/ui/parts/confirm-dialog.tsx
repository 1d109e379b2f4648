import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({
  title,
  button,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  button: string
  onConfirm(): void
  onClose(): void
  children: ComponentChildren
}) {
  const confirm = () => {
    onClose()
    onConfirm()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        <div class="row end">
          <button class="button quiet" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="button" onClick={confirm}>
            {button}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
