import type { SkipReason } from '@sluice/core'
import type { RequestDetail, SkippedRow } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { reasonText } from '../routes/target-labels.ts'

const reasons: Readonly<Record<SkipReason['why'], string>> = {
  open: 'its circuit breaker was open',
  cooldown: 'it was paused',
  not_allowed: 'the caller may not use the name by which it is reached',
  too_small: 'the request is longer than its context',
  unfit: 'its model lacks something that the request needs',
  restricted_field: 'the caller may not send it a field of the request',
  retry_budget: 'too many of its calls are repeats already',
  not_chosen: 'the route chose others',
}

/** The targets that could have answered, and why some of them were not asked, or not again. */
export function CandidateList({ candidates, attempts }: Pick<RequestDetail, 'candidates' | 'attempts'>) {
  const wasAsked = (provider: string, model: string) =>
    attempts.some(attempt => attempt.called && attempt.provider === provider && attempt.model === model)
  return (
    <section>
      <h3>Where it could go</h3>
      {candidates.length === 0 ? (
        <p class="muted">It was not routed, or it is not known yet.</p>
      ) : (
        <ol class="candidates">
          {candidates.map(({ provider, model, via, skipped }, at) => (
            <li key={at}>
              <span class="name">
                {provider} <span class="muted">/</span> {model}
              </span>
              {via !== undefined && <span class="muted small">by {via}</span>}
              {skipped !== undefined && (
                <span class="skipped small">{textOf(skipped, wasAsked(provider, model))}</span>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function textOf({ why, waitMs, detail, reason }: SkippedRow, asked: boolean): string {
  const wait = waitMs === undefined || waitMs === 0 ? '' : ` for another ${span(waitMs)}`
  const cause = reason === undefined ? '' : `: ${reasonText(reason)}`
  return `${asked ? 'Not asked again' : 'Not asked'}: ${reasons[why] ?? why}${wait}${cause}${detail === undefined ? '' : ` (${detail})`}`
}
