import type { RouteRow, TargetRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
import { Moment } from '../parts/moment.tsx'
import { priceText } from './price-text.ts'
import { TargetState } from './target-state.tsx'
import { TestResult, useTargetTests } from './target-test.tsx'

const columns = 8

/** The models, each followed by its targets. */
export function RouteTable({
  models,
  tests,
}: {
  models: readonly RouteRow[]
  /** Whether targets can be tested. */
  tests: boolean
}) {
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
            <th scope="col" class="number less" title="Of the last response, where it was streamed">
              First token
            </th>
            <th scope="col" class="number less" title="Of the last response">
              Total
            </th>
            <th scope="col" class="less">
              Last response
            </th>
            <th scope="col" class="number" title="US dollars per million tokens: input and output">
              Price / 1M
            </th>
            <th scope="col">
              <span class="hidden">Test</span>
            </th>
          </tr>
        </thead>
        {models.map(route => (
          <Model key={route.model} route={route} tests={tests} />
        ))}
      </table>
    </div>
  )
}

function Model({ route: { model, targets }, tests }: { route: RouteRow; tests: boolean }) {
  const used = targets.filter(({ state }) => state === 'closed').length
  return (
    <tbody data-model={model}>
      <tr class="route-model">
        <th scope="rowgroup" colSpan={columns}>
          <span class="name">{model}</span>
          {targets.length > 1 && (
            <span class={used === targets.length ? 'muted small' : 'warn-text small'}>
              {used} of {targets.length} available
            </span>
          )}
        </th>
      </tr>
      {targets.map(target => (
        <Target
          key={JSON.stringify([target.provider, target.model])}
          route={model}
          target={target}
          tests={tests}
        />
      ))}
    </tbody>
  )
}

function Target({ route, target, tests }: { route: string; target: TargetRow; tests: boolean }) {
  const { provider, model, state, active, last, price } = target
  const { test, start } = useTargetTests(route, provider, model)
  return (
    <>
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
        <td class="number target-price">
          {priceText(price)}
          {price !== null && <span class="price-unit"> per 1M tokens</span>}
        </td>
        <td class="number target-button">
          {tests && (
            <button
              class="button small-button"
              type="button"
              aria-label={`Test ${provider} / ${model} of ${route}`}
              aria-disabled={test === 'running'}
              onClick={start}
            >
              Test
            </button>
          )}
        </td>
      </tr>
      {test !== undefined && (
        <tr class="target-test">
          <td colSpan={columns}>
            <TestResult test={test} />
          </td>
        </tr>
      )}
    </>
  )
}
