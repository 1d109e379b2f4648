import type { RouteRow, TargetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
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
            <th scope="col" class="number">
              First token
            </th>
            <th scope="col" class="number less">
              Whole answer
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
        <th scope="rowgroup" colSpan={5}>
          <span class="name">{model}</span>
          {targets.length > 1 && (
            <span class={used === targets.length ? 'muted small' : 'warn-text small'}>
              {used} of {targets.length} in use
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
  const { provider, model, state, active, firstTokenMs, wholeMs } = target
  return (
    <tr data-state={state}>
      <th scope="row" class="name">
        {provider} <span class="muted">/</span> {model}
      </th>
      <td>
        <TargetState {...target} />
      </td>
      <td class="number less">{count(active)}</td>
      <td class="number">{span(firstTokenMs)}</td>
      <td class="number less">{span(wholeMs)}</td>
    </tr>
  )
}
