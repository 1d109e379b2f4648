import type { RouteRow, TargetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
import { Moment } from '../parts/moment.tsx'
import { TargetState } from './target-state.tsx'

/** The models, each followed by its targets. */
export function RouteTable({ models }: { models: readonly RouteRow[] }) {
  return (
    <div class="table-box">
      <table class="table routes">
        <caption class="hidden">Models and their targets</caption>
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">State</th>
            <th scope="col" class="number less">
              Active
            </th>
            <th scope="col" class="number less">
              Last response: first token
            </th>
            <th scope="col" class="number less">
              Last response: total
            </th>
            <th scope="col" class="less">
              Ended
            </th>
          </tr>
        </thead>
        {models.map(route => (
          <Model key={route.model} route={route} />
        ))}
      </table>
    </div>
  )
}

function Model({ route: { model, targets } }: { route: RouteRow }) {
  const used = targets.filter(({ state }) => state === 'closed').length
  return (
    <tbody data-model={model}>
      <tr class="route-model">
        <th scope="rowgroup" colSpan={6}>
          <span class="name">{model}</span>
          {targets.length > 1 && (
            <span class={used === targets.length ? 'muted small' : 'warn-text small'}>
              {used} of {targets.length} available
            </span>
          )}
        </th>
      </tr>
      {targets.map((target, at) => (
        <Target key={at} target={target} />
      ))}
    </tbody>
  )
}

function Target({ target }: { target: TargetRow }) {
  const { provider, model, state, active, last } = target
  return (
    <tr data-state={state}>
      <th scope="row" class="name">
        {provider} <span class="muted">/</span> {model}
      </th>
      <td>
        <TargetState target={target} />
      </td>
      <td class="number less">{count(active)}</td>
      <td class="number less">
        {last !== undefined && last.firstTokenMs === undefined ? (
          <span class="muted">not streamed</span>
        ) : (
          span(last?.firstTokenMs)
        )}
      </td>
      <td class="number less">{span(last?.totalMs)}</td>
      <td class="less">{last === undefined ? '–' : <Moment at={last.at} />}</td>
    </tr>
  )
}
