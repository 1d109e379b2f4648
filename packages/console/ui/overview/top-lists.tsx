import type { ComponentChildren } from 'preact'
import type { NamedUsage, TopUsage } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { spent } from '../format/money.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { useSession } from '../session/session.ts'
import { useKeyNames } from '../session/use-key-names.ts'
import { hrefOf, searchOf } from '../shell/location.ts'
import type { OverviewSources } from './sources.ts'

/** The models and the keys that cost most, each with a link to its requests. */
export function TopLists({
  top: { models, keys },
  source,
  period,
}: {
  top: TopUsage
  source: OverviewSources['usage']
  /** Its name in the address. */
  period: string
}) {
  useKeyNames()
  const { about } = useSession()
  const isLogged = source === 'ledger' && about.log
  const hrefTo = (where: { readonly model: string } | { readonly key: string; readonly source: string }) =>
    isLogged
      ? hrefOf(
          'log',
          undefined,
          searchOf({ span: period, ...('model' in where ? where : { key: where.key }) }),
        )
      : hrefOf(
          'requests',
          undefined,
          searchOf('model' in where ? where : { key: `${where.source} ${where.key}` }),
        )
  return (
    <div class="overview-columns">
      <TopList title="Top models" all="All models" rows={models}>
        {({ name }) => <a href={hrefTo({ model: name })}>{name}</a>}
      </TopList>
      <TopList title="Top keys" all="All keys" rows={keys}>
        {({ name, source = '' }) => (
          <a href={hrefTo({ key: name, source })}>
            <CallerName id={name} source={source === '' ? undefined : source} />
          </a>
        )}
      </TopList>
    </div>
  )
}

function TopList({
  title,
  all,
  rows,
  children,
}: {
  title: string
  /** What the link to the usage is called: no two links of a page have one name. */
  all: string
  rows: readonly NamedUsage[]
  children(row: NamedUsage): ComponentChildren
}) {
  // Without prices the bars are of the requests.
  const measure = rows.some(({ cost }) => cost > 0) ? 'cost' : 'requests'
  const most = Math.max(...rows.map(row => row[measure]))
  return (
    <section class="card overview-part">
      <div class="part-head">
        <h2>{title}</h2>
        <a href={hrefOf('usage')}>{all}</a>
      </div>
      {rows.length === 0 ? (
        <p class="muted">None in this period.</p>
      ) : (
        <table class="top">
          <thead class="hidden">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Requests</th>
              <th scope="col">Spend</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={`${row.source} ${row.name}`}>
                <th scope="row" class="name">
                  {children(row)}
                  {row[measure] > 0 && (
                    <span
                      class="top-bar"
                      style={{ width: `${(100 * row[measure]) / most}%` }}
                      aria-hidden="true"
                    />
                  )}
                </th>
                <td class="number small muted">
                  {count(row.requests)} {row.requests === 1 ? 'request' : 'requests'}
                </td>
                <td class="number small">{spent(row.cost, row.unpriced)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
