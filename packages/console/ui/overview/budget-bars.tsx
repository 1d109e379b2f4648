import type { BudgetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { useSession } from '../session/session.ts'
import { useKeyNames } from '../session/use-key-names.ts'
import { hrefOf } from '../shell/location.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { type BudgetLine, firstBudgets } from './budget-lines.ts'

const windows: Readonly<Record<BudgetRow['window'], string>> = {
  hour: 'this hour',
  day: 'today',
  week: 'this week',
  month: 'this month',
  ever: 'in total',
}
const databaseMs = 30_000

/** The budgets of which most is spent, as bars: those that this process charged, and those of keys. */
export function BudgetBars({ budgets, more }: { budgets: readonly BudgetRow[]; more: number }) {
  useKeyNames()
  const { api, about } = useSession()
  const ofKeys = useLoaded(
    async signal => (about.keys ? api.keyBudgets(signal) : undefined),
    [api, about.keys],
    databaseMs,
  )
  const { lines, hidden } = firstBudgets(budgets, ofKeys.value?.budgets ?? [])
  const left = hidden + more + (ofKeys.value?.moreBudgets ?? 0)
  return (
    <section class="card overview-part" aria-labelledby="budgets-title">
      <div class="part-head">
        <h2 id="budgets-title">Budgets</h2>
        <a href={hrefOf('keys')}>Manage keys</a>
      </div>
      {lines.length === 0 ? (
        <p class="muted">
          {ofKeys.error === undefined &&
            'No key has a budget, and no request was charged to one since this process started.'}
        </p>
      ) : (
        <ul class="budgets">
          {lines.map((line, at) => (
            <Budget key={at} line={line} />
          ))}
        </ul>
      )}
      {ofKeys.error !== undefined && (
        <p class="bad-text small">Cannot load the budgets of keys: {ofKeys.error}</p>
      )}
      {lines.length > 0 && (
        <p class="muted small">
          {left > 0 && `${count(left)} more with a smaller share. `}As the last request of each in this
          process left it{ofKeys.value !== undefined && about.ledger && ', or the ledger has it'}. Windows are
          those of UTC.
        </p>
      )}
    </section>
  )
}

function Budget({ line }: { line: BudgetLine }) {
  const { rule, limit, spent, share, window, refused, dryRun } = line
  const look = refused || share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : ''
  return (
    <li class={`budget ${look}`} title={rule}>
      <span class="budget-text">
        <span class="name">
          <Subject line={line} />
          {dryRun && <span class="tag">dry run</span>}
          {refused && !dryRun && <span class="small bad-text"> refused the last request</span>}
        </span>
        <span class="number small">
          {spent === null ? 'not known' : money(spent)}{' '}
          <span class="muted">
            of {money(limit)} {windows[window] ?? window}
          </span>
        </span>
      </span>
      <span class="budget-track" aria-hidden="true">
        <span class="budget-fill" style={{ width: `${100 * Math.min(1, share)}%` }} />
      </span>
      <span class="number small">
        {look !== '' ? (
          <StateMark look={look} sign={look === 'bad' ? '✕' : '!'}>
            {shareText(share)}
          </StateMark>
        ) : (
          <span class="muted">{spent === null ? '–' : shareText(share)}</span>
        )}
      </span>
    </li>
  )
}

/** Who shares a budget. */
function Subject({ line: { key, source, name, others } }: { line: BudgetLine }) {
  if (key === undefined) return <>{others.length === 0 ? 'All requests' : others.join(', ')}</>
  return (
    <>
      {name === undefined ? <CallerName id={key} source={source} /> : <span title={key}>{name}</span>}
      {others.length > 0 && <span class="muted"> {others.join(', ')}</span>}
    </>
  )
}

function shareText(share: number): string {
  return share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(100 * share)} %`
}
