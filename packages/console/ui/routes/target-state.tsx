import type { TargetRow } from '../../src/api.ts'
import { span } from '../format/span.ts'

const looks: Readonly<Record<TargetRow['state'], readonly [string, string, string]>> = {
  closed: ['good', '●', 'In use'],
  cooling: ['warn', '◔', 'Cooling: it asked for a pause'],
  open: ['bad', '✕', 'Open: it failed too often'],
  half_open: ['warn', '◐', 'Half open: the next request tries it'],
}

const reasons: Readonly<Record<NonNullable<TargetRow['reason']>, string>> = {
  rate_limited: 'rate limited',
  overloaded: 'it answers with errors',
  unreachable: 'unreachable',
  insufficient_quota: 'the account is used up',
  upstream_auth: 'it refuses the credentials',
}

type Shown = Pick<TargetRow, 'state' | 'waitMs' | 'reason' | 'scope' | 'unavailableMs'>

/** How a target does, by a sign and in words, and when it is asked again. */
export function TargetState({ state, waitMs, reason, scope, unavailableMs }: Shown) {
  const [look, sign, text] = looks[state] ?? ['quiet', '?', state]
  return (
    <>
      <span class={`mark-of ${look}`}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        {text}
      </span>
      {state !== 'closed' && reason !== undefined && (
        <span class="muted small target-reason">
          {reasons[reason] ?? reason}
          {scope === 'principal' && ', seen by one principal'}
          {unavailableMs !== undefined && `, for ${span(unavailableMs)}`}
        </span>
      )}
      {waitMs > 0 && <span class="muted small target-wait">again in {Math.ceil(waitMs / 1000)} s</span>}
    </>
  )
}
