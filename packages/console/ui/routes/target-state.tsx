import type { TargetRow } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { Moment } from '../parts/moment.tsx'
import { stateText } from './target-labels.ts'

const looks: Readonly<Record<TargetRow['state'], readonly [string, string]>> = {
  closed: ['good', '●'],
  cooldown: ['warn', '◔'],
  open: ['bad', '✕'],
  half_open: ['warn', '◐'],
}

/** How a target does, by a sign and in words, since when, and when it is called again. */
export function TargetState({ target }: { target: TargetRow }) {
  const { state, scope, since, waitMs } = target
  const [look, sign] = looks[state] ?? ['quiet', '?']
  // Of a trial that runs nobody knows how long it takes.
  const waits = waitMs > 0 && (state === 'open' || state === 'cooldown')
  return (
    <>
      <span class={`mark-of ${look}`}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        {stateText(target)}
      </span>
      {scope === 'principal' && <span class="muted small target-scope">for one caller, who saw it fail</span>}
      {(since !== undefined || waits) && (
        <span class="muted small target-wait">
          {since !== undefined && (
            <>
              since <Moment at={since} />
            </>
          )}
          {since !== undefined && waits && ', '}
          {waits && `again in ${waitText(waitMs)}`}
        </span>
      )}
    </>
  )
}

function waitText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds}\u00a0s` : span(seconds * 1000)
}
