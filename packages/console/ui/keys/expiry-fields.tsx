import { localMinute } from './key-change.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** By what `KeyFormValues` has for them. */
const presets: readonly (readonly [string, string])[] = [
  ['', 'never'],
  [`+${hourMs}`, 'in 1 hour'],
  [`+${dayMs}`, 'in 1 day'],
  [`+${7 * dayMs}`, 'in 7 days'],
  [`+${30 * dayMs}`, 'in 30 days'],
  [`+${90 * dayMs}`, 'in 90 days'],
]

/** When a key expires: never, after a span, or at a date. */
export function ExpiryFields({ value, onChange }: { value: string; onChange(value: string): void }) {
  const isPreset = presets.some(([preset]) => preset === value)
  return (
    <div class="stack">
      <label class="field">
        <span>Expires</span>
        <select
          aria-label="Expires"
          value={isPreset ? value : 'date'}
          onChange={event => {
            const chosen = event.currentTarget.value
            onChange(chosen === 'date' ? localMinute(Date.now() + 30 * dayMs) : chosen)
          }}
        >
          {presets.map(([preset, text]) => (
            <option key={preset} value={preset}>
              {text}
            </option>
          ))}
          <option value="date">at a date</option>
        </select>
      </label>
      {!isPreset && (
        <label class="field">
          <span>Expiry date</span>
          <input
            type="datetime-local"
            required
            value={value}
            // An emptied field would be "never".
            onInput={event => event.currentTarget.value !== '' && onChange(event.currentTarget.value)}
          />
        </label>
      )}
    </div>
  )
}
