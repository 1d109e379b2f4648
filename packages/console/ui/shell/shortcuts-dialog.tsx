import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { hasKeyShortcuts, setKeyShortcuts, shortcuts } from './shortcuts.ts'

/** Lists the keyboard shortcuts, and turns those of a single key off and on. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const [isOn, setOn] = useState(hasKeyShortcuts)
  const toggle = (event: Event) => {
    const next = (event.currentTarget as HTMLInputElement).checked
    setKeyShortcuts(next)
    setOn(next)
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        <dl class="shortcuts">
          {shortcuts.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.map(key => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <label class="row">
          <input type="checkbox" checked={isOn} onChange={toggle} />
          <span>Shortcuts of a single key</span>
        </label>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}
