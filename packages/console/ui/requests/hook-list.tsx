import type { HookRecord } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { StateMark } from '../parts/state-mark.tsx'

const looks: Readonly<Record<HookRecord['outcome'], readonly [look: string, sign: string, text: string]>> = {
  passed: ['quiet', '✓', 'No change'],
  changed: ['accent', '✎', 'Made changes'],
  refused: ['warn', '⊘', 'Refused'],
  failed: ['bad', '✕', 'Failed'],
}

/** The hooks that applied to a request, in their order: what each did, and how long it took. */
export function HookList({ hooks }: { hooks: readonly HookRecord[] }) {
  if (hooks.length === 0) return null
  return (
    <section>
      <h3>Hooks</h3>
      <ol class="hooks">
        {hooks.map(({ name, outcome, ms }) => {
          const [look, sign, text] = looks[outcome] ?? ['quiet', '?', outcome]
          return (
            <li key={name} data-hook={name}>
              <span class="name">{name}</span>
              <StateMark look={look} sign={sign}>
                {text}
              </StateMark>
              <span class="muted small number">{span(ms)}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
