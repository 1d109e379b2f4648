import { Choice } from '../parts/choice.tsx'
import { Loading } from '../parts/loading.tsx'
import { fetchOwnUsage } from '../server/own-usage.ts'
import { hrefOf, replaceLocation, searchOf, useViewLocation } from '../shell/location.ts'
import { Mark } from '../shell/mark.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'
import { useLoaded } from '../state/use-loaded.ts'
import { firstOf } from './first-of.ts'
import { LedgerTable } from './ledger-table.tsx'
import { LedgerTotals } from './ledger-totals.tsx'

const groups = [
  ['model', 'Model'],
  ['user', 'User'],
  ['operation', 'Operation'],
  ['dialect', 'Dialect'],
] as const

const periods = [
  ['1', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const

/** The start page of a caller: what it used itself, which is all that its key opens here. */
export function OwnUsageView({ apiKey, onLeave }: { apiKey: string; onLeave(): void }) {
  const given = new URLSearchParams(useViewLocation().search)
  const by = chosen(groups, given.get('by'), 'model')
  const days = chosen(periods, given.get('days'), '7')
  const goTo = (query: Readonly<Record<string, string>>) =>
    replaceLocation(hrefOf('overview', undefined, searchOf({ by, days, ...query })))
  const loaded = useLoaded(
    async signal => ({ by, ...(await fetchOwnUsage(apiKey, ['day', by], firstOf(Number(days)), signal)) }),
    [apiKey, by, days],
    30_000,
  )
  return (
    <>
      <header class="bar">
        <span class="brand">
          <Mark />
          <span>Sluice</span>
        </span>
        <div class="tools">
          <ThemeSwitch />
          <button class="button quiet" type="button" onClick={onLeave}>
            Sign out
          </button>
        </div>
      </header>
      <main class="view" aria-label="Your usage">
        <section class="ledger" aria-labelledby="own-usage-title">
          <div class="view-head">
            <h1 id="own-usage-title">Your usage</h1>
            <Choice label="Group by" value={by} options={groups} onChange={next => goTo({ by: next })} />
            <Choice label="Days" value={days} options={periods} onChange={next => goTo({ days: next })} />
          </div>
          <Loading what="your usage" loaded={loaded}>
            {value => (
              <>
                <LedgerTotals rows={value.rows} leftOut={value.leftOut} />
                <LedgerTable rows={value.rows} by={value.by} leftOut={value.leftOut} />
              </>
            )}
          </Loading>
        </section>
      </main>
    </>
  )
}

function chosen<T extends string>(
  options: readonly (readonly [T, string])[],
  given: string | null,
  usual: T,
): T {
  return options.find(([name]) => name === given)?.[0] ?? usual
}
