import { count } from '../format/count.ts'
import type { FeedState } from './live-feed.ts'

/** Whether what is shown is what happens. */
export function ConnectionState({
  connection,
  paused,
  newer,
}: {
  connection: FeedState['connection']
  paused: boolean
  newer: number
}) {
  const [look, text] = paused
    ? ['quiet', 'Paused']
    : connection === 'live'
      ? ['good', 'Live']
      : connection === 'lost'
        ? ['bad', 'Disconnected, reconnecting']
        : ['quiet', 'Connecting']
  return (
    <div class="row">
      <p class={`connection mark-of ${look}`} role="status">
        <span class="sign" aria-hidden="true">
          {look === 'good' ? '●' : look === 'bad' ? '✕' : '○'}
        </span>
        {text}
      </p>
      {/* Not in the status: it would be told aloud with each request. */}
      {paused && newer > 0 && <span class="muted small">{count(newer)} newer</span>}
    </div>
  )
}
