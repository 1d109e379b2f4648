import { useEffect, useRef } from 'preact/hooks'

const name = 'sluice.shortcuts'

/** Whether shortcuts of a single key are on in this browser. Who speaks to the computer may want them off. */
export function hasKeyShortcuts(): boolean {
  return localStorage.getItem(name) !== 'off'
}

export function setKeyShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(name)
  else localStorage.setItem(name, 'off')
}

/** The shortcuts, as they are listed. */
export const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[commandKey(), 'K'], 'Open the command palette'],
  [['/'], 'Go to the search of the view'],
  [['j'], 'Go to the next row of a list'],
  [['k'], 'Go to the previous row of a list'],
  [['Enter'], 'Open the row'],
  [['?'], 'Show these shortcuts'],
  [['Esc'], 'Close what is open'],
]

/** The name of the key that opens the command palette together with `K`. */
export function commandKey(): string {
  return isMac() ? '⌘' : 'Ctrl'
}

function isMac(): boolean {
  return /Mac|iP(?:hone|ad)/.test(navigator.platform)
}

/** Listens for shortcuts. While a dialog is open it has none, and while somebody types only those with Ctrl or Cmd. */
export function useShortcuts(open: { palette(): void; help(): void }): void {
  const current = useRef(open)
  current.current = open
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
      const typing = isTyping(event.target)
      const act =
        event.ctrlKey || event.metaKey || event.altKey
          ? isPaletteKey(event, typing) && current.current.palette
          : !typing && hasKeyShortcuts() && actionOf(event.key, current.current.help)
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

/** In the text fields of a Mac, Ctrl and K delete to the end of the line. */
function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent, typing: boolean): boolean {
  if (key.toLowerCase() !== 'k' || altKey || shiftKey) return false
  return metaKey || (ctrlKey && !(typing && isMac()))
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  return target.matches('textarea, select, input:not([type=range], [type=checkbox], [type=radio])')
}

function actionOf(key: string, help: () => void): (() => void) | undefined {
  if (key === '?') return help
  if (key === '/') return focusSearch
  if (key === 'j') return () => moveInList(1)
  return key === 'k' ? () => moveInList(-1) : undefined
}

function focusSearch(): void {
  const fields = document.querySelectorAll<HTMLInputElement>('main input[type=search], main search input')
  const field = [...fields].find(element => element.offsetParent !== null)
  field?.focus()
  field?.select()
}

/** Rows are links. Of an open row one goes on from there. */
function moveInList(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main .row-link')].filter(
    element => element.offsetParent !== null,
  )
  const focused = links.indexOf(document.activeElement as HTMLElement)
  const from = focused === -1 ? links.findIndex(link => link.ariaCurrent === 'true') : focused
  const next = from === -1 ? links[0] : links[from + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
