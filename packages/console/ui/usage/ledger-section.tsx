import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { Loading } from '../parts/loading.tsx'
import { useSession } from '../session/session.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { firstOf } from './first-of.ts'
import { LedgerTable } from './ledger-table.tsx'

/** What the ledger has, by day: of all processes, and of the time before this one. */
export function LedgerSection() {
  const { api, about } = useSession()
  const [by, setBy] = useState('model')
  const [days, setDays] = useState('7')
  // With what it was asked by: while it is asked for by something else, what was here stays.
  const asked = useLoaded(
    async signal => ({ by, ...(await api.usage(dimensionsOf(by), firstOf(Number(days)), signal)) }),
    [api, by, days],
    30_000,
  )
  return (
    <section class="ledger" aria-labelledby="ledger-title">
      <div class="view-head">
        <h2 id="ledger-title">By day, from the ledger</h2>
        <Choice
          label="Group days by"
          value={by}
          options={[
            ['model', 'Model'],
            ['key', 'Key'],
            ['provider', 'Provider'],
            ['operation', 'Operation'],
            ['dialect', 'Dialect'],
            ['user', 'User'],
            [`tag:${about.teamTag}`, 'Team'],
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
      <Loading what="the ledger" loaded={asked}>
        {value => <LedgerTable rows={value.rows} by={value.by} leftOut={value.leftOut} />}
      </Loading>
    </section>
  )
}

/** Two principals of one id have different sources. */
function dimensionsOf(by: string): readonly string[] {
  return by === 'key' ? ['day', 'key', 'source'] : ['day', by]
}
