/** A key that `sluice dev` knows while it runs. */
export interface Shortcut {
  readonly key: string
  readonly does: string
  readonly run: () => void | Promise<void>
}

/** What the shortcuts of `sluice dev` do. */
export interface ShortcutActions {
  readonly reload: () => void | Promise<void>
  readonly showUrls: () => void
  readonly open: () => void | Promise<void>
  readonly clear: () => void
  readonly quit: () => void
}

/** The shortcuts of `sluice dev`, without the one that lists them. */
export function shortcutsOf({ reload, showUrls, open, clear, quit }: ShortcutActions): readonly Shortcut[] {
  return [
    { key: 'r', does: 'reload the configuration', run: reload },
    { key: 'u', does: 'show the URLs', run: showUrls },
    { key: 'o', does: 'open the console in the browser', run: open },
    { key: 'c', does: 'clear the screen', run: clear },
    { key: 'q', does: 'quit', run: quit },
  ]
}

/** Runs the shortcut that a typed line names; `h` lists all. Other lines do nothing. */
export function runShortcut(
  line: string,
  shortcuts: readonly Shortcut[],
  print: (text: string) => void,
): void {
  const key = line.trim()
  if (key === 'h') {
    const rows = [...shortcuts, { key: 'h', does: 'show this help' }]
    print(`\n${rows.map(row => `  ${row.key} + Enter   ${row.does}`).join('\n')}\n`)
    return
  }
  void shortcuts.find(shortcut => shortcut.key === key)?.run()
}
