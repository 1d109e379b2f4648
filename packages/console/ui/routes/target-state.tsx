import type { TargetRow } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { Moment } from '../parts/moment.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { stateText } from './target-labels.ts'

const looks: Readonly<Record<TargetRow['state'], readonly [string, string]>> = {
  closed: ['good', '●'],
  cooldown: ['warn', '◔'],
  open: ['bad', '✕'],
  half_open: ['warn', '◐'],
}

/** The state of a target, since when, and when it can be called again. */
export function TargetState({ target }: { target: TargetRow }) {
  const { state, scope, since, waitMs } = target
  const [look, sign] = looks[state] ?? ['quiet', '?']
  // How long a running probe takes is unknown.
  const waits = waitMs > 0 && (state === 'open' || state === 'cooldown')
  return (
    <>
      <StateMark look={look} sign={sign}>
        {stateText(target)}
      </StateMark>
      {scope === 'principal' && <span class="muted small target-scope">for one caller only</span>}
      {(since !== undefined || waits) && (
        <span class="muted small target-wait">
          {since !== undefined && (
            <>
              since <Moment at={since} />
            </>
          )}
          {since !== undefined && waits && ', '}
          {waits && `next call in ${waitText(waitMs)}`}
        </span>
      )}
    </>
  )
}

function waitText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds}\u00a0s` : span(seconds * 1000)
}
