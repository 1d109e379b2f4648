import { useEffect, useState } from 'preact/hooks'

export const views = ['overview', 'chat', 'requests', 'log', 'usage', 'keys', 'routes', 'alerts'] as const
export type View = (typeof views)[number]

/** What is looked at: a view, and the one thing of it that is open. */
export interface ViewLocation {
  readonly view: View
  readonly id: string | undefined
  /** The query of the address, such as `?status=5xx`; empty if there is none. */
  readonly search: string
}

/** The address of a place within the page. */
export function hrefOf(view: View, id?: string, search = ''): string {
  return id === undefined ? `#/${view}${search}` : `#/${view}/${encodeURIComponent(id)}${search}`
}

/** Returns the query of an address: `?status=5xx`, without what is empty. Empty if nothing is left. */
export function searchOf(query: Readonly<Record<string, string>>): string {
  const set = Object.entries(query).filter(([, value]) => value !== '')
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`
}

/** Goes to an address without an entry in the history: for filters, of which each letter would be one. */
export function replaceLocation(href: string): void {
  history.replaceState(null, '', href)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The place that the address names; the overview where it names none. */
export function useViewLocation(): ViewLocation {
  const [current, setCurrent] = useState(locationFromHash)
  useEffect(() => {
    const moved = () => setCurrent(last => sameLocation(last, locationFromHash()))
    addEventListener('hashchange', moved)
    // The address may have changed since the first look at it.
    moved()
    return () => removeEventListener('hashchange', moved)
  }, [])
  return current
}

/** The one that is shown, where the other is the same: nothing is drawn again. */
function sameLocation(shown: ViewLocation, next: ViewLocation): ViewLocation {
  const isSame = shown.view === next.view && shown.id === next.id && shown.search === next.search
  return isSame ? shown : next
}

function locationFromHash(): ViewLocation {
  const at = location.hash.indexOf('?')
  const path = at === -1 ? location.hash : location.hash.slice(0, at)
  const search = at === -1 ? '' : location.hash.slice(at)
  const [, name, id] = path.split('/')
  const view = views.find(known => known === name) ?? 'overview'
  return { view, id: id === undefined || id === '' ? undefined : decoded(id), search }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
