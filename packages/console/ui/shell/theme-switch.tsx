import { useStore } from '../state/use-store.ts'
import { applyTheme, type Theme, theme } from './theme.ts'

const names: Readonly<Record<Theme, string>> = { auto: 'System', light: 'Light', dark: 'Dark' }

/** Chooses between the system's colours, light ones and dark ones. */
export function ThemeSwitch() {
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select value={useStore(theme)} onChange={event => applyTheme(event.currentTarget.value as Theme)}>
        {Object.entries(names).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
