import type { ComponentChildren } from 'preact'
import type { KeyRow } from '../../src/api.ts'
import { Moment } from '../parts/moment.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { useSession } from '../session/session.ts'
import { useClock } from '../state/use-clock.ts'
import type { KeyOrder } from './key-order.ts'
import type { SpendByWindow } from './key-spend.ts'
import { limitText } from './limit-text.ts'
import { SpendCell } from './spend-cell.tsx'

export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'delete'

const looks: Readonly<Record<KeyState, readonly [string, string, string]>> = {
  active: ['quiet', '●', 'Active'],
  rotating: ['accent', '◐', 'Active, old secret still valid'],
  disabled: ['warn', '○', 'Disabled'],
  expired: ['bad', '⊘', 'Expired'],
}

/** Keys, one a row. */
export function KeyTable({
  rows,
  spend,
  order,
  onOrder,
  onAction,
}: {
  rows: readonly KeyRow[]
  /** `undefined` where it is not known. */
  spend: SpendByWindow | undefined
  order: KeyOrder
  onOrder(order: KeyOrder): void
  onAction(row: KeyRow, action: KeyAction): void
}) {
  const now = useClock(10_000)
  const head = { order, onOrder }
  return (
    <div class="table-box">
      <table class="table keys">
        <caption class="hidden">Keys</caption>
        <thead>
          <tr>
            <SortHead {...head} by="name" text="Key" />
            <th scope="col">State</th>
            <SortHead {...head} by="team" text="Team" less />
            <th scope="col" class="less">
              Models and limits
            </th>
            <SortHead {...head} by="spend" text="Spend" />
            <SortHead {...head} by="used" text="Last used" less />
            <SortHead {...head} by="expires" text="Expires" less />
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <KeyLine
              key={row.id}
              row={row}
              state={keyState(row, now)}
              spend={spend}
              onAction={action => onAction(row, action)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The head of a column that keys are sorted by; pressed again, they are newest first. */
function SortHead({
  by,
  text,
  order,
  less = false,
  onOrder,
}: {
  by: KeyOrder
  text: string
  order: KeyOrder
  less?: boolean
  onOrder(order: KeyOrder): void
}) {
  const isSorted = order === by
  const direction = by === 'spend' || by === 'used' ? 'descending' : 'ascending'
  return (
    <th scope="col" class={less ? 'less' : undefined} aria-sort={isSorted ? direction : undefined}>
      <button class="sort" type="button" onClick={() => onOrder(isSorted ? 'created' : by)}>
        {text}
        <span aria-hidden="true">{isSorted ? (direction === 'ascending' ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  )
}

function KeyLine({
  row,
  state,
  spend,
  onAction,
}: {
  row: KeyRow
  state: KeyState
  spend: SpendByWindow | undefined
  onAction(action: KeyAction): void
}) {
  const { teamTag } = useSession().about
  const [look, sign, text] = looks[state]
  const { [teamTag]: team, ...tags } = row.tags ?? {}
  const others = Object.entries(tags)
  return (
    <tr class="key" data-id={row.id}>
      <th scope="row">
        <span class="name key-name">{row.name}</span>
        <code class="muted id">{row.id}</code>
      </th>
      <td>
        <StateMark look={look} sign={sign}>
          {text}
        </StateMark>
      </td>
      <td class="less">
        <span class="name">{team ?? '–'}</span>
        {others.length > 0 && (
          <span class="muted small key-more">
            {others.map(([name, value]) => `${name} = ${value}`).join(', ')}
          </span>
        )}
      </td>
      <td class="less">
        <span class="name">{row.models === null ? 'all models' : row.models.join(', ')}</span>
        <span class="muted small key-more">
          {row.limits === null || row.limits.length === 0
            ? 'no limits'
            : row.limits.map(limitText).join(' · ')}
        </span>
      </td>
      <td class="key-spend">
        <SpendCell row={row} spend={spend} />
      </td>
      <td class="less key-moment">
        {row.lastUsedAt === null ? 'never' : <Moment at={row.lastUsedAt} date />}
      </td>
      <td class="less key-moment">{row.expiresAt === null ? 'never' : <Moment at={row.expiresAt} date />}</td>
      <td class="key-actions">
        <div class="key-buttons">
          <Action row={row} text="Edit" onClick={() => onAction('edit')} />
          <Action row={row} text="Rotate" onClick={() => onAction('rotate')} />
          {row.disabled ? (
            <Action row={row} text="Enable" onClick={() => onAction('enable')} />
          ) : (
            <Action row={row} text="Disable" onClick={() => onAction('disable')} />
          )}
          <Action row={row} text="Delete" onClick={() => onAction('delete')} />
        </div>
      </td>
    </tr>
  )
}

function Action({ row, text, onClick }: { row: KeyRow; text: string; onClick(): void }): ComponentChildren {
  return (
    <button
      class="button quiet small-button"
      type="button"
      aria-label={`${text} ${row.name}`}
      onClick={onClick}
    >
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
