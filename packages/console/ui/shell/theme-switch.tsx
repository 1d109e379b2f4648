import { useState } from 'preact/hooks'
import { applyTheme, storedTheme, type Theme } from './theme.ts'

const names: Readonly<Record<Theme, string>> = { auto: 'System', light: 'Light', dark: 'Dark' }

/** Chooses between the system's colours, light ones and dark ones. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  const choose = (next: Theme) => {
    applyTheme(next)
    setTheme(next)
  }
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select value={theme} onChange={event => choose(event.currentTarget.value as Theme)}>
        {Object.entries(names).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
