import { useState } from 'preact/hooks'
import { useSession } from '../session/session.ts'
import { CopyButton } from './copy-button.tsx'
import { curlSnippet, sdkSnippet } from './request-snippets.ts'
import { scrollable } from './scrollable.ts'
import { Tabs } from './tabs.tsx'

type Kind = 'curl' | 'sdk'

const kinds: readonly (readonly [Kind, string])[] = [
  ['curl', 'curl'],
  ['sdk', 'OpenAI SDK'],
]

/** How a first request is sent from code, with the address of this gateway. */
export function FirstRequest({ model }: { model: string }) {
  const { about } = useSession()
  const [kind, setKind] = useState<Kind>('curl')
  const baseUrl = new URL(`..${about.base}`, document.baseURI).href
  const text = kind === 'curl' ? curlSnippet(baseUrl, model) : sdkSnippet(baseUrl, model)
  return (
    <div class="first-request">
      <div class="row">
        <Tabs<Kind>
          label="First request"
          tabs={kinds}
          value={kind}
          onChange={setKind}
          panel="first-request"
        />
        <CopyButton text={text} label="Copy" quiet />
      </div>
      <pre id="first-request" class="raw" role="tabpanel" aria-label={kind} {...scrollable}>
        {text}
      </pre>
      <p class="muted small">
        SLUICE_API_KEY is the API key of a caller
        {about.keys ? ', such as one created under Keys.' : '.'}
        {kind === 'sdk' && ' Needs npm install openai, and a file that ends in .mjs.'}
      </p>
    </div>
  )
}
