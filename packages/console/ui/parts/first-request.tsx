import { useId, useState } from 'preact/hooks'
import { curlCommand } from '../format/curl.ts'
import { gatewayUrl } from '../server/gateway-url.ts'
import { useSession } from '../session/session.ts'
import { hrefOf } from '../shell/location.ts'
import { CopyButton } from './copy-button.tsx'
import { scrollable } from './scrollable.ts'
import { firstModel, sdkSnippet } from './snippets.ts'
import { Tabs } from './tabs.tsx'

/** How to send a request to this gateway, where there are none to show. `model`: default, the first that is served. */
export function FirstRequest({ model: given }: { model?: string }) {
  const { about } = useSession()
  const [shows, setShows] = useState<'curl' | 'sdk'>('curl')
  const panel = useId()
  const url = gatewayUrl(about)
  const model = given ?? firstModel(about.models)
  const text =
    shows === 'curl'
      ? curlCommand(
          `${url}/chat/completions`,
          JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
        )
      : sdkSnippet(url, model)
  return (
    <section class="card first-request" aria-label="Send a request">
      <div class="body-head">
        <h2>Send a request</h2>
        <span class="push row">
          <Tabs<'curl' | 'sdk'>
            label="Send a request with"
            tabs={[
              ['curl', 'curl'],
              ['sdk', 'OpenAI SDK'],
            ]}
            value={shows}
            onChange={name => setShows(name)}
            panel={panel}
          />
          <CopyButton text={text} label="Copy" />
        </span>
      </div>
      <p class="muted small">
        Set <code>SLUICE_API_KEY</code> to the API key of a caller
        {about.keys && (
          <>
            {' '}
            (<a href={hrefOf('keys')}>create one</a>)
          </>
        )}
        .{shows === 'sdk' && ' Install the package openai first.'}
      </p>
      <div id={panel} role="tabpanel" aria-label={shows === 'curl' ? 'curl' : 'OpenAI SDK'}>
        <section class="body-text" aria-label="Snippet" {...scrollable}>
          <pre class="raw">{text}</pre>
        </section>
      </div>
    </section>
  )
}
