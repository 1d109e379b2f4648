import { useEffect, useRef, useState } from 'preact/hooks'
import { OverviewView } from '../overview/overview-view.tsx'
import { useSession } from '../session/session.ts'
import { lazyView } from './lazy-view.tsx'
import { hrefOf, useViewLocation, type ViewLocation } from './location.ts'
import { Mark } from './mark.tsx'
import { commandKey, useShortcuts } from './shortcuts.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { viewNames, viewsOf } from './view-names.ts'

// The overview is the start page: what only other views need is loaded with them.
const ChatView = lazyView(async () => (await import('../chat/chat-view.tsx')).ChatView)
const RequestsView = lazyView(async () => (await import('../requests/requests-view.tsx')).RequestsView)
const LogView = lazyView(async () => (await import('../log/log-view.tsx')).LogView)
const UsageView = lazyView(async () => (await import('../usage/usage-view.tsx')).UsageView)
const KeysView = lazyView(async () => (await import('../keys/keys-view.tsx')).KeysView)
const RoutesView = lazyView(async () => (await import('../routes/routes-view.tsx')).RoutesView)
const AlertsView = lazyView(async () => (await import('../alerts/alerts-view.tsx')).AlertsView)
const CommandPalette = lazyView(async () => (await import('./command-palette.tsx')).CommandPalette, null)
const ShortcutsDialog = lazyView(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog, null)

/** The header, the navigation and the current view. */
export function Shell() {
  const current = useViewLocation()
  const { about, signOut } = useSession()
  const [dialog, setDialog] = useState<'palette' | 'help'>()
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  const nav = useRef<HTMLElement>(null)
  const close = () => setDialog(undefined)
  useShortcuts({ palette: () => setDialog('palette'), help: () => setDialog('help') })
  useEffect(() => {
    document.title = `${viewNames[current.view]} · Sluice console`
    // Who follows a link is told where it led; who opens the page begins at its top.
    if (!first.current) main.current?.focus({ preventScroll: true })
    first.current = false
    scrollTo(0, 0)
    // On a narrow screen the navigation scrolls.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current.view])
  return (
    <>
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <a class="brand" href={hrefOf('overview')} aria-label="Sluice">
          <Mark />
          <span>Sluice</span>
        </a>
        <nav class="views" aria-label="Views" ref={nav}>
          {viewsOf(about).map(view => (
            <a key={view} href={hrefOf(view)} aria-current={view === current.view ? 'page' : undefined}>
              {viewNames[view]}
            </a>
          ))}
        </nav>
        <div class="tools">
          <button
            class="button quiet command-button"
            type="button"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => setDialog('palette')}
          >
            Go to … <kbd>{commandKey()} K</kbd>
          </button>
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
        aria-label={viewNames[current.view]}
      >
        {viewOf(current)}
      </main>
      {dialog === 'palette' && <CommandPalette onClose={close} onHelp={() => setDialog('help')} />}
      {dialog === 'help' && <ShortcutsDialog onClose={close} />}
    </>
  )
}

function viewOf({ view, id, search }: ViewLocation) {
  if (view === 'log') return <LogView open={id} search={search} />
  if (view === 'requests') return <RequestsView open={id} search={search} />
  if (view === 'usage') return <UsageView />
  if (view === 'keys') return <KeysView />
  if (view === 'routes') return <RoutesView />
  if (view === 'alerts') return <AlertsView />
  if (view === 'chat') return <ChatView />
  return <OverviewView search={search} />
}
