/** `auto` follows the system. */
export type Theme = 'auto' | 'light' | 'dark'

const name = 'sluice.theme'

/** The theme that was chosen last in this browser. */
export function storedTheme(): Theme {
  const kept = localStorage.getItem(name)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

/** Shows a theme, and keeps it. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  if (theme === 'auto') localStorage.removeItem(name)
  else localStorage.setItem(name, theme)
}
