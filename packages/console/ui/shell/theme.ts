import { createStore, type Store } from '../state/store.ts'

/** `auto` follows the system. */
export type Theme = 'auto' | 'light' | 'dark'

const name = 'sluice.theme'

/** The theme that is shown. */
export const theme: Store<Theme> = createStore(storedTheme())

/** The theme that was chosen last in this browser. */
export function storedTheme(): Theme {
  const kept = localStorage.getItem(name)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

/** Shows a theme, and keeps it. */
export function applyTheme(next: Theme): void {
  document.documentElement.dataset.theme = next
  if (next === 'auto') localStorage.removeItem(name)
  else localStorage.setItem(name, next)
  theme.update(() => next)
}
