import type { ComponentChildren } from 'preact'
import type { KeyRow } from '../../src/api.ts'
import { Moment } from '../parts/moment.tsx'
import { useClock } from '../state/use-clock.ts'
import { limitText } from './limit-text.ts'

export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'delete'

const looks: Readonly<Record<KeyState, readonly [string, string, string]>> = {
  active: ['good', '●', 'Active'],
  rotating: ['accent', '◐', 'Active, old secret still valid'],
  disabled: ['quiet', '○', 'Disabled'],
  expired: ['warn', '⊘', 'Expired'],
}

/** The keys, newest first. */
export function KeyTable({
  rows,
  onAction,
}: {
  rows: readonly KeyRow[]
  onAction(row: KeyRow, action: KeyAction): void
}) {
  const now = useClock(10_000)
  return (
    <ul class="keys">
      {rows.map(row => (
        <li key={row.id} class="card key" data-id={row.id}>
          <KeyLine row={row} state={keyState(row, now)} onAction={action => onAction(row, action)} />
        </li>
      ))}
    </ul>
  )
}

function KeyLine({
  row,
  state,
  onAction,
}: {
  row: KeyRow
  state: KeyState
  onAction(action: KeyAction): void
}) {
  const [look, sign, text] = looks[state]
  const tags = Object.entries(row.tags ?? {})
  return (
    <>
      <div class="key-head">
        <h2 class="name">{row.name}</h2>
        <span class={`mark-of ${look}`}>
          <span class="sign" aria-hidden="true">
            {sign}
          </span>
          {text}
        </span>
        <code class="muted id">{row.id}</code>
      </div>
      <dl class="facts">
        <Fact name="Models">{row.models === null ? 'all' : row.models.join(', ')}</Fact>
        <Fact name="Limits">
          {row.limits === null || row.limits.length === 0 ? 'none' : row.limits.map(limitText).join(' · ')}
        </Fact>
        {tags.length > 0 && (
          <Fact name="Tags">{tags.map(([name, value]) => `${name} = ${value}`).join(', ')}</Fact>
        )}
        <Fact name="Created">
          <Moment at={row.createdAt} date />
        </Fact>
        <Fact name="Last used">
          {row.lastUsedAt === null ? 'never' : <Moment at={row.lastUsedAt} date />}
        </Fact>
        <Fact name="Expires">{row.expiresAt === null ? 'never' : <Moment at={row.expiresAt} date />}</Fact>
      </dl>
      <div class="row key-actions">
        <Action row={row} text="Edit" onClick={() => onAction('edit')} />
        <Action row={row} text="Rotate" onClick={() => onAction('rotate')} />
        {row.disabled ? (
          <Action row={row} text="Enable" onClick={() => onAction('enable')} />
        ) : (
          <Action row={row} text="Disable" onClick={() => onAction('disable')} />
        )}
        <Action row={row} text="Delete" onClick={() => onAction('delete')} />
      </div>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Action({ row, text, onClick }: { row: KeyRow; text: string; onClick(): void }) {
  return (
    <button class="button quiet" type="button" aria-label={`${text} ${row.name}`} onClick={onClick}>
      {text}
    </button>
  )
}

type KeyState = 'active' | 'disabled' | 'expired' | 'rotating'

/** What a key is now. `rotating`: an older secret of it is still let in. */
function keyState({ disabled, expiresAt, secrets }: KeyRow, now: number): KeyState {
  if (disabled) return 'disabled'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return secrets.length > 1 && secrets.slice(1).some(old => old.expiresAt === null || old.expiresAt > now)
    ? 'rotating'
    : 'active'
}
