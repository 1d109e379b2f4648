import { useId, useMemo, useState } from 'preact/hooks'
import { count } from '../format/count.ts'
import { indentJson } from '../format/indent-json.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { scrollable } from '../parts/scrollable.ts'
import { Tabs } from '../parts/tabs.tsx'

/** More of a body would make the page slow. */
const maxShown = 100_000

type Shows = 'text' | 'body'

/** A body, indented if it is JSON. `text` is what a model wrote in it: it is shown first, if it is not all of the body. */
export function BodyText({
  title,
  body,
  text,
  missing,
  isCut = false,
}: {
  title: string
  body: string | undefined
  text?: string | null
  /** Why there is no body. */
  missing: string
  /** Whether the stored body is cut. */
  isCut?: boolean
}) {
  const panel = useId()
  const hasText = typeof text === 'string' && text !== body
  const [shows, setShows] = useState<Shows>(hasText ? 'text' : 'body')
  const indented = useMemo(() => body && (indentJson(body, maxShown) ?? body), [body])
  if (body === undefined || indented === undefined) {
    return (
      <div class="body">
        <div class="body-head">
          <h4>{title}</h4>
        </div>
        <p class="muted small">{missing}</p>
      </div>
    )
  }
  const shown = shows === 'text' && hasText ? text : indented
  return (
    <div class="body">
      <div class="body-head">
        <h4>{title}</h4>
        <span class="muted small">{count(body.length)} characters</span>
        <span class="push row">
          {hasText && (
            <Tabs<Shows>
              label={`Show the ${title.toLowerCase()} as`}
              tabs={[
                ['text', 'Text'],
                ['body', 'Body'],
              ]}
              value={shows}
              onChange={name => setShows(name)}
              panel={panel}
            />
          )}
          <CopyButton text={body} label={`Copy ${title.toLowerCase()}`} />
        </span>
      </div>
      <div id={panel} {...(hasText && { role: 'tabpanel', 'aria-label': shows })}>
        <ScrolledText label={`${title} body`} text={shown} />
      </div>
      {isCut && (
        <p class="muted small">The stored body is cut: it was larger than the log of bodies stores.</p>
      )}
    </div>
  )
}

/** A text that scrolls if it is long, and is cut if it is very long. */
export function ScrolledText({ label, text }: { label: string; text: string }) {
  return (
    <>
      <section class="body-text" aria-label={label} {...scrollable}>
        <pre class="raw">{text.slice(0, maxShown)}</pre>
      </section>
      {text.length > maxShown && (
        <p class="muted small">Only the first {count(maxShown)} characters are shown.</p>
      )}
    </>
  )
}
