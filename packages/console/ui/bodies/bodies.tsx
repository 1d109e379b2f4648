import type { LoggedBodies, RequestDetail } from '../../src/api.ts'
import { curlCommand } from '../format/curl.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Loading } from '../parts/loading.tsx'
import { endpointUrl } from '../server/gateway-url.ts'
import { useSession } from '../session/session.ts'
import { hrefOf, searchOf } from '../shell/location.ts'
import { useLoaded } from '../state/use-loaded.ts'
import { awaitBodies, retentionText } from './body-retention.ts'
import { BodyText } from './body-text.tsx'
import { Replay } from './replay.tsx'

/** The stored bodies of a request, and its replay. */
export function Bodies({ request }: { request: RequestDetail }) {
  return (
    <section class="bodies" aria-labelledby="bodies-title">
      <h3 id="bodies-title">Bodies</h3>
      {request.outcome === 'running' ? (
        <p class="muted">They are stored when the request has ended.</p>
      ) : (
        <StoredBodies request={request} />
      )}
    </section>
  )
}

function StoredBodies({ request }: { request: RequestDetail }) {
  const { api } = useSession()
  const { id, at, totalMs = 0 } = request
  const loaded = useLoaded(
    signal => awaitBodies(() => api.bodies(id, signal), at + totalMs, signal),
    [api, id],
  )
  return (
    <Loading what="the bodies" loaded={loaded}>
      {bodies =>
        bodies === null ? <NotStored request={request} /> : <Found request={request} bodies={bodies} />
      }
    </Loading>
  )
}

function NotStored({ request: { at } }: { request: RequestDetail }) {
  const { bodiesRetentionMs } = useSession().about
  if (bodiesRetentionMs !== undefined && Date.now() - at > bodiesRetentionMs) {
    return <p class="muted">They have expired: bodies are stored for {retentionText(bodiesRetentionMs)}.</p>
  }
  return (
    <p class="muted">
      None are stored. Requests that were rejected early, such as by a hook, have none, nor do those that the
      log of bodies leaves out.
    </p>
  )
}

function Found({ request, bodies }: { request: RequestDetail; bodies: LoggedBodies }) {
  const { about } = useSession()
  const changedBy = request.hooks.filter(({ outcome }) => outcome === 'changed').map(({ name }) => name)
  return (
    <div class="stack">
      {changedBy.length > 0 && (
        <p class="small">
          Changed by {changedBy.length === 1 ? 'the hook' : 'the hooks'} <b>{changedBy.join(', ')}</b>: the
          bodies are as hooks have left them.
        </p>
      )}
      <BodyText
        title="Request"
        body={bodies.request}
        missing="Not stored: it is larger than the log of bodies stores. It cannot be replayed."
      />
      <BodyText
        title="Response"
        body={bodies.response}
        text={bodies.text}
        missing="None was sent: the client disconnected before it."
        isCut={bodies.responseTruncated}
      />
      {bodies.request !== undefined && <SendElsewhere bodies={bodies} body={bodies.request} />}
      {bodies.request !== undefined &&
        (about.chat ? (
          <Replay request={request} bodies={bodies} />
        ) : (
          <p class="muted small">
            It cannot be replayed here: the console sends no requests as itself (<code>chat: false</code>).
          </p>
        ))}
    </div>
  )
}

/** Takes the stored request to a terminal, or into the chat. */
function SendElsewhere({ bodies: { path, requestId }, body }: { bodies: LoggedBodies; body: string }) {
  const { about } = useSession()
  return (
    <div class="row">
      <CopyButton text={curlCommand(endpointUrl(about, path), body)} label="Copy as curl" />
      {chatPaths.test(path) && (
        <a class="button" href={hrefOf('chat', undefined, searchOf({ request: requestId }))}>
          Open in Chat
        </a>
      )}
    </div>
  )
}

/** The endpoints that the chat can call. */
const chatPaths = /\/(?:chat\/completions|messages|responses)$/
