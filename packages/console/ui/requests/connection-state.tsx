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
    ? ['quiet', newer === 0 ? 'Paused' : `Paused, ${count(newer)} newer`]
    : connection === 'live'
      ? ['good', 'Live']
      : connection === 'lost'
        ? ['bad', 'Connection lost, trying again']
        : ['quiet', 'Connecting']
  return (
    <p class={`connection mark-of ${look}`} role="status">
      <span class="sign" aria-hidden="true">
        {look === 'good' ? '●' : look === 'bad' ? '✕' : '○'}
      </span>
      {text}
    </p>
  )
}
