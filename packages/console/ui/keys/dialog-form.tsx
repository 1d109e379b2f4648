import type { ComponentChildren } from 'preact'
import { Dialog } from '../parts/dialog.tsx'
import { useSending } from './use-sending.ts'

/** A dialog with a form: what is asked, why it was refused, and the two ways out. */
export function DialogForm({
  title,
  button,
  danger = false,
  work,
  onClose,
  children,
}: {
  title: string
  button: string
  danger?: boolean
  /** What the button does. */
  work(): Promise<void>
  onClose(): void
  children: ComponentChildren
}) {
  const { busy, problem, send } = useSending()
  const submit = (event: Event) => {
    event.preventDefault()
    if (!busy) send(work)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {children}
        {problem !== undefined && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <div class="row end">
          <button class="button quiet" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class={danger ? 'button danger' : 'button primary'} type="submit" aria-disabled={busy}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
