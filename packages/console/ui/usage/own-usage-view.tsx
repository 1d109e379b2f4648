import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { Loading } from '../parts/loading.tsx'
import { fetchOwnUsage } from '../server/own-usage.ts'
import { Mark } from '../shell/mark.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'
import { useLoaded } from '../state/use-loaded.ts'
import { firstOf } from './first-of.ts'
import { LedgerTable } from './ledger-table.tsx'

/** What one caller used itself: all that its key opens here. */
export function OwnUsageView({ apiKey, onLeave }: { apiKey: string; onLeave(): void }) {
  const [by, setBy] = useState('model')
  const [days, setDays] = useState('7')
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
            <Choice
              label="Group by"
              value={by}
              options={[
                ['model', 'Model'],
                ['user', 'User'],
                ['operation', 'Operation'],
                ['dialect', 'Dialect'],
              ]}
              onChange={setBy}
            />
            <Choice
              label="Days"
              value={days}
              options={[
                ['1', 'Today'],
                ['7', '7 days'],
                ['30', '30 days'],
                ['90', '90 days'],
              ]}
              onChange={setDays}
            />
          </div>
          <Loading what="your usage" loaded={loaded}>
            {value => <LedgerTable rows={value.rows} by={value.by} leftOut={value.leftOut} />}
          </Loading>
        </section>
      </main>
    </>
  )
}
