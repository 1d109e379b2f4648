import { expect, it, vi } from 'vitest'
import { runShortcut, shortcutsOf } from './shortcuts.ts'

it('runs what a line names, lists all for h, and ignores the rest', () => {
  const actions = { reload: vi.fn(), showUrls: vi.fn(), open: vi.fn(), clear: vi.fn(), quit: vi.fn() }
  const shortcuts = shortcutsOf(actions)
  const printed: string[] = []
  const type = (line: string) => runShortcut(line, shortcuts, text => printed.push(text))
  for (const line of ['', 'x', 'quit', 'rr']) type(line)
  for (const action of Object.values(actions)) expect(action).not.toHaveBeenCalled()
  for (const line of ['r', ' u ', 'o', 'c', 'q']) type(line)
  for (const action of Object.values(actions)) expect(action).toHaveBeenCalledTimes(1)
  expect(printed).toEqual([])
  type('h')
  for (const { key, does } of shortcuts) expect(printed[0]).toContain(`${key} + Enter   ${does}`)
})
