import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A dialog over the page. The browser keeps the focus in it, and gives it back; Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose(): void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const closed = useRef(onClose)
  closed.current = onClose
  useEffect(() => {
    const element = dialog.current
    const notify = () => closed.current()
    element?.showModal()
    element?.addEventListener('close', notify)
    return () => {
      // Its end is told later, when another dialog may stand in its place.
      element?.removeEventListener('close', notify)
      element?.close()
    }
  }, [])
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  )
}
