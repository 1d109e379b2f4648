import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'

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

/** A form that is sent: whether it is under way, and why it was refused. */
interface Sending {
  readonly busy: boolean
  readonly problem: string | undefined
  /** Sends; what is thrown becomes the problem. */
  send(work: () => Promise<void>): void
}

function useSending(): Sending {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send = (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false))
  }
  return { busy, problem, send }
}
