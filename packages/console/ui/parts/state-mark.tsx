import type { ComponentChildren } from 'preact'

/** A state by a sign and in words. `look`: `good`, `warn`, `bad`, `accent` or `quiet`. */
export function StateMark({
  look,
  sign,
  children,
}: {
  look: string
  sign: string
  children: ComponentChildren
}) {
  return (
    <span class={`mark-of ${look}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {children}
    </span>
  )
}
