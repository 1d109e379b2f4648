import { useMemo, useState } from 'preact/hooks'
import type { KeyRow } from '../../src/api.ts'
import { isKey } from '../../src/keys/is-key.ts'
import { windowStart } from '../../src/keys/own-budgets.ts'
import { count } from '../format/count.ts'
import { Choice } from '../parts/choice.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { findKeys, type KeyOrder, sortKeys } from './key-order.ts'
import { type SpendByWindow, spendWindows } from './key-spend.ts'
import { type KeyAction, KeyTable } from './key-table.tsx'

const pageRows = 50
const noSpend: SpendByWindow = new Map()

/** The keys with their spend: searched, sorted, 50 at a time. */
export function KeyList({
  keys,
  onAction,
}: {
  keys: readonly KeyRow[]
  onAction(row: KeyRow, action: KeyAction): void
}) {
  const { about } = useSession()
  const { teamTag } = about
  const [text, setText] = useState('')
  const [team, setTeam] = useState('')
  const [order, setOrder] = useState<KeyOrder>('created')
  const [from, setFrom] = useState(0)
  const spend = useSpend(keys)
  const found = useMemo(
    () => sortKeys(findKeys(keys, text, team, teamTag), order, spend.value ?? noSpend, teamTag),
    [keys, text, team, order, spend.value, teamTag],
  )
  const teams = useMemo(
    () => [...new Set(keys.flatMap(({ tags }) => tags?.[teamTag] ?? []))].sort(),
    [keys, teamTag],
  )
  // What is deleted or searched for makes the list shorter.
  const start = from < found.length ? from : 0
  const end = Math.min(start + pageRows, found.length)
  const restart = <T,>(change: (value: T) => void) => {
    return (value: T) => {
      change(value)
      setFrom(0)
    }
  }
  return (
    <>
      <div class="key-search row">
        <label class="hidden" for="key-search">
          Search keys
        </label>
        <input
          id="key-search"
          type="search"
          placeholder="Search by name, id, tag or model"
          autocomplete="off"
          value={text}
          onInput={event => restart(setText)(event.currentTarget.value)}
        />
        {teams.length > 0 && (
          <Choice
            label="Team"
            value={team}
            options={[['', 'all'], ...teams.map(name => [name, name] as const)]}
            onChange={restart(setTeam)}
          />
        )}
        <span class="muted small push" role="status">
          {found.length === 0
            ? 'No key matches.'
            : `${count(start + 1)}–${count(end)} of ${count(found.length)}`}
        </span>
        {found.length > pageRows && (
          <>
            <button
              class="button"
              type="button"
              disabled={start === 0}
              onClick={() => setFrom(Math.max(0, start - pageRows))}
            >
              Previous
            </button>
            <button
              class="button"
              type="button"
              disabled={end === found.length}
              onClick={() => setFrom(start + pageRows)}
            >
              Next
            </button>
          </>
        )}
      </div>
      {spend.error !== undefined && (
        <p class="notice bad" role="alert">
          Cannot load the spend of keys: {spend.error}
        </p>
      )}
      <KeyTable
        rows={found.slice(start, end)}
        spend={spend.value}
        order={order}
        onOrder={restart(setOrder)}
        onAction={onAction}
      />
      <p class="muted small table-note">
        {about.ledger
          ? 'Spend is the sum of the ledger in the window of the budget, by the calendar in UTC. Requests that run are not in it yet.'
          : 'Without a ledger the spend of keys is not known.'}
      </p>
    </>
  )
}

/** What each key spent in each window that a budget of these keys has. */
function useSpend(keys: readonly KeyRow[]) {
  const { api, about } = useSession()
  const windows = spendWindows(keys).join()
  return useLoaded<SpendByWindow | undefined>(
    async signal => {
      if (!about.ledger) return undefined
      const sums = spendWindows(keys).map(async window => {
        const { rows } = await api.usage(['key', 'source'], windowStart(window, Date.now()), signal)
        const spent = rows.filter(({ by }) => isKey(by)).map(({ by, cost }) => [by.key ?? '', cost] as const)
        return [window, new Map(spent)] as const
      })
      return new Map(await Promise.all(sums))
    },
    [api, about.ledger, windows],
    30_000,
  )
}
