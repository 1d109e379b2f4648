import { count } from '../format/count.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import type { SentRequest } from './chat-types.ts'

/** A request as it was sent, but for the key, of which the end is shown where it is long. */
export function RawRequest({ request: { url, key, body } }: { request: SentRequest }) {
  const head = [
    `POST ${new URL(url).pathname} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    `authorization: Bearer …${endOf(key)}`,
    'content-type: application/json',
  ]
  return (
    <div class="stack">
      <pre class="raw">{head.join('\n')}</pre>
      <pre class="raw">{shortened(body)}</pre>
      <div class="row">
        <CopyButton text={body} label="Copy body" />
      </div>
    </div>
  )
}

/** Images in base64 are cut for the eye: "Copy body" has all of it. */
function shortened(body: string): string {
  return body.replace(
    /[A-Za-z0-9+/=]{1000,}/g,
    data => `${data.slice(0, 40)}… (${count(data.length)} characters)`,
  )
}

/** Enough to know it by; of a short one that would be too much. */
function endOf(key: string): string {
  return key.length < 16 ? '' : key.slice(-4)
}
