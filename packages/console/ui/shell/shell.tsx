import { useEffect, useRef } from 'preact/hooks'
import { AlertsView } from '../alerts/alerts-view.tsx'
import { ChatView } from '../chat/chat-view.tsx'
import { KeysView } from '../keys/keys-view.tsx'
import { LogView } from '../log/log-view.tsx'
import { RequestsView } from '../requests/requests-view.tsx'
import { RoutesView } from '../routes/routes-view.tsx'
import { useSession } from '../session/session.ts'
import { UsageView } from '../usage/usage-view.tsx'
import { hrefOf, useViewLocation, type View, type ViewLocation, views } from './location.ts'
import { Mark } from './mark.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

const names: Readonly<Record<View, string>> = {
  chat: 'Chat',
  requests: 'Requests',
  log: 'Log',
  usage: 'Usage',
  keys: 'Keys',
  routes: 'Routes',
  alerts: 'Alerts',
}

/** The header, the navigation and the current view. */
export function Shell() {
  const current = useViewLocation()
  const { about, signOut } = useSession()
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    document.title = `${names[current.view]} · Sluice console`
    // Who follows a link is told where it led; who opens the page begins at its top.
    if (!first.current) main.current?.focus({ preventScroll: true })
    first.current = false
    scrollTo(0, 0)
  }, [current.view])
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
        <nav class="views" aria-label="Views">
          {views
            .filter(view => !((view === 'log' || view === 'alerts') && !about[view]))
            .map(view => (
              <a key={view} href={hrefOf(view)} aria-current={view === current.view ? 'page' : undefined}>
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
        class={`view view-${current.view}`}
        tabIndex={-1}
        ref={main}
        aria-label={names[current.view]}
      >
        {viewOf(current)}
      </main>
    </>
  )
}

function viewOf({ view, id, search }: ViewLocation) {
  if (view === 'log') return <LogView open={id} search={search} />
  if (view === 'requests') return <RequestsView open={id} />
  if (view === 'usage') return <UsageView />
  if (view === 'keys') return <KeysView />
  if (view === 'routes') return <RoutesView />
  if (view === 'alerts') return <AlertsView />
  return <ChatView />
}
