import { useEffect, useRef } from 'preact/hooks'
import { ChatView } from '../chat/chat-view.tsx'
import { KeysView } from '../keys/keys-view.tsx'
import { RequestsView } from '../requests/requests-view.tsx'
import { RoutesView } from '../routes/routes-view.tsx'
import { useSession } from '../session/session.ts'
import { UsageView } from '../usage/usage-view.tsx'
import { hrefOf, type Place, usePlace, type View, views } from './location.ts'
import { Mark } from './mark.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

const names: Readonly<Record<View, string>> = {
  chat: 'Chat',
  requests: 'Requests',
  usage: 'Usage',
  keys: 'Keys',
  routes: 'Routes',
}

/** What is around every view: where one is, and where one can go. */
export function Shell() {
  const place = usePlace()
  const { signOut } = useSession()
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    document.title = `${names[place.view]} · Sluice console`
    // Who follows a link is told where it led; who opens the page begins at its top.
    if (!first.current) main.current?.focus({ preventScroll: true })
    first.current = false
    scrollTo(0, 0)
  }, [place.view])
  return (
    <>
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <a class="brand" href={hrefOf('chat')}>
          <Mark />
          <span>Sluice</span>
        </a>
        <nav class="places" aria-label="Views">
          {views.map(view => (
            <a key={view} href={hrefOf(view)} aria-current={view === place.view ? 'page' : undefined}>
              {names[view]}
            </a>
          ))}
        </nav>
        <div class="tools">
          <ThemeSwitch />
          <button class="button quiet" type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main
        id="content"
        class={`view view-${place.view}`}
        tabIndex={-1}
        ref={main}
        aria-label={names[place.view]}
      >
        {viewOf(place)}
      </main>
    </>
  )
}

function viewOf({ view, id }: Place) {
  if (view === 'requests') return <RequestsView open={id} />
  if (view === 'usage') return <UsageView />
  if (view === 'keys') return <KeysView />
  if (view === 'routes') return <RoutesView />
  return <ChatView />
}
