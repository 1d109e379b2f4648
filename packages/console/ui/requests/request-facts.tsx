import type { ComponentChildren } from 'preact'
import type { RequestDetail } from '../../src/api.ts'
import { Bodies } from '../bodies/bodies.tsx'
import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Moment } from '../parts/moment.tsx'
import { useSession } from '../session/session.ts'
import { errorText } from './error-text.ts'
import { HookList } from './hook-list.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { costText, tokensText } from './request-sums.ts'
import { TargetList } from './target-list.tsx'
import { Waterfall } from './waterfall.tsx'

const operationNames: Readonly<Record<RequestDetail['operation'], string>> = {
  generate: 'Generate',
  embed: 'Embed',
  countTokens: 'Count tokens',
  rerank: 'Rerank',
  moderate: 'Moderate',
  complete: 'Complete',
}

/** The details of one request. */
export function RequestFacts({ request }: { request: RequestDetail }) {
  const { about } = useSession()
  const { id, model, key, source, team, outcome, error, adjustments, wouldHaveRefused, estimated, leftOut } =
    request
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Model', model ?? '–'],
    ['Key', <CallerName key={key} id={key} source={source} withId />],
    ['Team', team],
    ['User', request.user],
    ['Operation', operationNames[request.operation] ?? request.operation],
    ['Dialect', request.dialect],
    [outcome === 'completed' ? 'Answered by' : 'Last called', request.provider],
    ['Total', span(request.totalMs)],
    ['First byte', span(request.firstByteMs)],
    ['Queue wait', request.queueMs === 0 ? undefined : span(request.queueMs)],
    ['Overhead of Sluice', span(request.overheadMs)],
    ['Tokens', tokensText(request)],
    ['Cost', costText(request)],
    ['Cache', request.cache],
    ['Error', error === undefined ? undefined : errorText(error)],
  ]
  return (
    <div class="stack wide">
      <p class="request-line">
        <OutcomeMark request={request} />
        <span class="muted">
          <Moment at={request.at} date /> · {request.stream ? 'streamed' : 'not streamed'}
          {request.replayed ? ' · replayed' : ''}
        </span>
      </p>
      <p class="row id-row">
        <code class="id">{id}</code>
        <CopyButton text={id} label="Copy the id" quiet />
      </p>
      <Waterfall request={request} />
      <dl class="facts columns">
        {facts.map(([name, value]) =>
          value === undefined || value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {estimated && (
        <p class="muted small">The token counts are estimated: the provider did not report them.</p>
      )}
      <TargetList candidates={request.candidates} attempts={request.attempts} />
      <HookList hooks={request.hooks} />
      <Notes title="Parameters adjusted for the provider" notes={adjustments} />
      {leftOut > 0 && <p class="muted small">{count(leftOut)} entries of these lists are not shown.</p>}
      <Notes title="Rejected in dry run by" notes={wouldHaveRefused} />
      {about.bodies && <Bodies request={request} />}
    </div>
  )
}

function Notes({ title, notes }: { title: string; notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul class="notes">
        {notes.map(note => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  )
}
