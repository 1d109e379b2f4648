import type { About } from '../../src/api.ts'
import { type View, views } from './location.ts'

export const viewNames: Readonly<Record<View, string>> = {
  overview: 'Overview',
  chat: 'Chat',
  requests: 'Requests',
  log: 'Log',
  usage: 'Usage',
  keys: 'Keys',
  routes: 'Routes',
  alerts: 'Alerts',
}

/** The views that this console has. */
export function viewsOf(about: About): readonly View[] {
  return views.filter(view => !((view === 'log' || view === 'alerts') && !about[view]))
}
