import { useEffect, useRef, useState } from 'preact/hooks'
import type { LoggedBodies, ReplayedRequest, RequestDetail } from '../../src/api.ts'
import { money } from '../format/money.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useSession } from '../session/session.ts'
import { ReplayComparison } from './replay-comparison.tsx'

type State =
  | { readonly kind: 'idle' | 'running' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'done'; readonly replayed: ReplayedRequest }

/** Sends a stored request again, once it is confirmed, and compares both responses. */
export function Replay({ request, bodies }: { request: RequestDetail; bodies: LoggedBodies }) {
  const { state, start, stop } = useReplay(bodies.requestId)
  const [confirms, setConfirms] = useState(false)
  const { kind } = state
  return (
    <div class="stack replay">
      <div class="row">
        <button
          class="button"
          type="button"
          aria-disabled={kind === 'running'}
          onClick={() => kind !== 'running' && setConfirms(true)}
        >
          {kind === 'done' || kind === 'failed' ? 'Replay again' : 'Replay'}
        </button>
        {kind === 'running' && (
          <button class="button stop" type="button" onClick={stop}>
            Stop
          </button>
        )}
        <span class="muted small" role="status">
          {statusText(state)}
        </span>
      </div>
      {state.kind === 'failed' && (
        <p class="notice bad" role="alert">
          The replay failed: {state.message}
        </p>
      )}
      {state.kind === 'done' && (
        <ReplayComparison request={request} bodies={bodies} replayed={state.replayed} />
      )}
      {confirms && (
        <ConfirmDialog
          title="Replay this request?"
          button="Replay"
          onConfirm={start}
          onClose={() => setConfirms(false)}
        >
          <p>
            The stored request is sent to <b>{bodies.model}</b> again.{' '}
            <b>The provider charges for it as for any request{lastCostText(request)}.</b>
          </p>
          <p class="muted small">
            It is sent as the principal <code>console</code>, within the models and limits of that. Hooks run
            again, and no cache answers it.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

function lastCostText({ cost }: RequestDetail): string {
  return cost === null || cost === 0 ? '' : `: ${money(cost)} the last time`
}

function statusText({ kind }: State): string {
  if (kind === 'running') return 'Waiting for the new response …'
  return kind === 'done' ? 'The new response is below.' : ''
}

function useReplay(id: string) {
  const { api } = useSession()
  const [state, setState] = useState<State>({ kind: 'idle' })
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = () => {
    const controller = new AbortController()
    running.current = controller
    setState({ kind: 'running' })
    const end = (next: State) => {
      if (!controller.signal.aborted) setState(next)
    }
    api.replay(id, controller.signal).then(
      replayed => end({ kind: 'done', replayed }),
      (error: unknown) =>
        end({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
  }
  const stop = () => {
    running.current?.abort()
    setState({ kind: 'failed', message: 'It was stopped. The provider may charge for what it has written.' })
  }
  return { state, start, stop }
}
