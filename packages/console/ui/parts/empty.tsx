import type { ComponentChildren } from 'preact'

/** Says that there is nothing here, and what would be. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p class="muted">{children}</p>}
    </div>
  )
}
