import type { SkipReason } from '@sluice/core'
import type { RequestDetail, SkippedRow } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { reasonText } from '../routes/target-labels.ts'

const reasons: Readonly<Record<SkipReason['why'], string>> = {
  open: 'its circuit breaker was open',
  cooldown: 'it was cooling down',
  target_limit: 'a limit of the target was exceeded',
  not_allowed: 'the caller may not use the model name that leads to it',
  too_small: 'the request is longer than its context window',
  unfit: 'its model does not support something in the request',
  restricted_field: 'the request has a field that the caller may not send to it',
  retry_budget: 'its retry budget was used up',
  not_chosen: 'the route chose other targets',
}

/** The targets of the route, and why some of them were skipped or not retried. */
export function TargetList({ candidates, attempts }: Pick<RequestDetail, 'candidates' | 'attempts'>) {
  const wasCalled = (provider: string, model: string) =>
    attempts.some(attempt => attempt.called && attempt.provider === provider && attempt.model === model)
  return (
    <section>
      <h3>Targets</h3>
      {candidates.length === 0 ? (
        <p class="muted">Not routed, or not known yet.</p>
      ) : (
        <ol class="targets">
          {candidates.map(({ provider, model, via, skipped }, at) => (
            <li key={at}>
              <span class="name">
                {provider} <span class="muted">/</span> {model}
              </span>
              {via !== undefined && <span class="muted small">via {via}</span>}
              {skipped !== undefined && (
                <span class="skipped small">{textOf(skipped, wasCalled(provider, model))}</span>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function textOf({ why, waitMs, detail, reason }: SkippedRow, called: boolean): string {
  const wait = waitMs === undefined || waitMs === 0 ? '' : ` for another ${span(waitMs)}`
  const cause = reason === undefined ? '' : `: ${reasonText(reason)}`
  return `${called ? 'Not retried' : 'Skipped'}: ${reasons[why] ?? why}${wait}${cause}${detail === undefined ? '' : ` (${detail})`}`
}
