import type { TargetRow } from '../../src/api.ts'

const looks: Readonly<Record<TargetRow['state'], readonly [string, string, string]>> = {
  closed: ['good', '●', 'In use'],
  cooling: ['warn', '◔', 'Cooling: it asked for a pause'],
  open: ['bad', '✕', 'Open: it failed too often'],
  half_open: ['warn', '◐', 'Half open: the next request tries it'],
}

/** How a target does, by a sign and in words, and when it is asked again. */
export function TargetState({ state, waitMs }: Pick<TargetRow, 'state' | 'waitMs'>) {
  const [look, sign, text] = looks[state] ?? ['quiet', '?', state]
  return (
    <>
      <span class={`mark-of ${look}`}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        {text}
      </span>
      {waitMs > 0 && <span class="muted small target-wait">again in {Math.ceil(waitMs / 1000)} s</span>}
    </>
  )
}
