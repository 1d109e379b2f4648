import type { RouteRow, TargetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { span } from '../format/span.ts'

const states: Readonly<Record<TargetRow['state'], readonly [string, string, string]>> = {
  closed: ['good', '●', 'Asked'],
  cooling: ['warn', '◔', 'Cooling: it asked for a pause'],
  open: ['bad', '✕', 'Open: it failed too often'],
  half_open: ['warn', '◐', 'Half open: one request tries it'],
}

/** A model and its targets. */
export function RouteCard({ route: { model, targets } }: { route: RouteRow }) {
  const asked = targets.filter(({ state }) => state === 'closed').length
  return (
    <article class="card route" data-model={model}>
      <div class="route-head">
        <h2 class="name">{model}</h2>
        <span class={asked === targets.length ? 'muted small' : 'small warn-text'}>
          {asked} of {targets.length} asked
        </span>
      </div>
      <div class="table-box bare">
        <table class="table">
          <caption class="hidden">Targets of {model}</caption>
          <thead>
            <tr>
              <th scope="col">Target</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Active
              </th>
              <th scope="col" class="number less">
                First token
              </th>
              <th scope="col" class="number less">
                Whole answer
              </th>
            </tr>
          </thead>
          <tbody>
            {targets.map(target => (
              <Target key={`${target.provider} ${target.model}`} target={target} />
            ))}
          </tbody>
        </table>
      </div>
    </article>
  )
}

function Target({ target }: { target: TargetRow }) {
  const { provider, model, state, waitMs, active, firstTokenMs, wholeMs } = target
  const [look, sign, text] = states[state] ?? ['quiet', '?', state]
  return (
    <tr data-state={state}>
      <th scope="row">
        <span class="name">
          {provider} <span class="muted">/</span> {model}
        </span>
      </th>
      <td>
        <span class={`mark-of ${look}`}>
          <span class="sign" aria-hidden="true">
            {sign}
          </span>
          {text}
        </span>
        {waitMs > 0 && <span class="muted small"> again in {span(waitMs)}</span>}
      </td>
      <td class="number">{count(active)}</td>
      <td class="number less">{span(firstTokenMs)}</td>
      <td class="number less">{span(wholeMs)}</td>
    </tr>
  )
}
