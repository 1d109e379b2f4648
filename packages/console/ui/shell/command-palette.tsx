import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { useSession } from '../session/session.ts'
import { type Command, commandsFor } from './commands.ts'

/** Finds a view, a model, a request or a setting by its name. */
export function CommandPalette({ onClose, onHelp }: { onClose(): void; onHelp(): void }) {
  const session = useSession()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const commands = commandsFor(typed, session, onHelp)
  const chosen = commands[Math.min(at, commands.length - 1)]
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.id])
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    // It may open another dialog in this one's place.
    onClose()
    command.run()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') run(chosen)
    else if (step !== 0) setAt((Math.min(at, commands.length - 1) + step + commands.length) % commands.length)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-label="View, model, request or setting"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={chosen && `palette-${chosen.id}`}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          placeholder="View, model, request id or text"
          value={typed}
          onInput={event => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={pressed}
        />
        <div id="palette-list" class="palette-list" role="listbox" aria-label="Commands" ref={list}>
          {commands.map(command => (
            // The keyboard stays in the field, which names the selected option.
            <div
              key={command.id}
              id={`palette-${command.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={command === chosen}
              onMouseDown={event => event.preventDefault()}
              onClick={() => run(command)}
              onKeyDown={pressed}
            >
              <span class="name">{command.text}</span>
              <span class="muted small">{command.group}</span>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
