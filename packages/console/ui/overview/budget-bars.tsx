import type { BudgetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { useKeyNames } from '../session/use-key-names.ts'
import { hrefOf } from '../shell/location.ts'

const windows: Readonly<Record<BudgetRow['window'], string>> = {
  hour: 'this hour',
  day: 'today',
  week: 'this week',
  month: 'this month',
  ever: 'in total',
}

/** The budgets of which most is spent, as bars. */
export function BudgetBars({ budgets, more }: { budgets: readonly BudgetRow[]; more: number }) {
  useKeyNames()
  return (
    <section class="card overview-part" aria-labelledby="budgets-title">
      <div class="part-head">
        <h2 id="budgets-title">Budgets</h2>
        <a href={hrefOf('keys')}>Manage keys</a>
      </div>
      {budgets.length === 0 ? (
        <p class="muted">No request was charged to a budget since this process started.</p>
      ) : (
        <ul class="budgets">
          {budgets.map((row, at) => (
            <Budget key={at} row={row} />
          ))}
        </ul>
      )}
      {budgets.length > 0 && (
        <p class="muted small">
          {more > 0 && `${count(more)} more with a smaller share. `}As the last request of each in this
          process left it. Windows are those of UTC.
        </p>
      )}
    </section>
  )
}

function Budget({ row }: { row: BudgetRow }) {
  const { rule, limit, spent, window, refused, dryRun } = row
  const share = limit > 0 ? spent / limit : 1
  const look = refused || share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : ''
  return (
    <li class={`budget ${look}`} title={rule}>
      <span class="budget-text">
        <span class="name">
          <Subject row={row} />
          {dryRun && <span class="tag">dry run</span>}
          {refused && !dryRun && <span class="small bad-text"> refused the last request</span>}
        </span>
        <span class="number small">
          {money(spent)}{' '}
          <span class="muted">
            of {money(limit)} {windows[window] ?? window}
          </span>
        </span>
      </span>
      <span class="budget-track" aria-hidden="true">
        <span class="budget-fill" style={{ width: `${100 * Math.min(1, share)}%` }} />
      </span>
      <span class="number small">
        {look === '' ? (
          <span class="muted">{shareText(share)}</span>
        ) : (
          <StateMark look={look} sign={look === 'bad' ? '✕' : '!'}>
            {shareText(share)}
          </StateMark>
        )}
      </span>
    </li>
  )
}

/** Who shares a budget. */
function Subject({ row: { subject } }: { row: BudgetRow }) {
  const { key, source, ...others } = subject
  const texts = Object.entries(others).map(([scope, name]) => `${scope.replace(/^tag:/, '')} ${name}`)
  if (key === undefined) return <>{texts.length === 0 ? 'All requests' : texts.join(', ')}</>
  return (
    <>
      <CallerName id={key} source={source} />
      {texts.length > 0 && <span class="muted"> {texts.join(', ')}</span>}
    </>
  )
}

function shareText(share: number): string {
  return share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(100 * share)} %`
}
