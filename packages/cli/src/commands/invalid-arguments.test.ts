import { expect, it } from 'vitest'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'

const clearScreen = '\u001b[2J'

it.each([
  ['serve', clearScreen],
  ['serve', '--port', clearScreen],
  ['serve', '--workers', clearScreen],
  ['explain', clearScreen],
  ['explain', '--as', 'ann', '--model', 'm', '--path', clearScreen],
  ['explain', '--as', 'ann', '--model', 'm', '--seed', clearScreen],
  ['check', clearScreen, clearScreen],
])('%s reports what steers a terminal as plain text', async (...argv) => {
  const { context, logged } = fakeCommandContext({ cwd: '/' })
  expect(await main(argv, context)).toBe(2)
  expect(logged()).toContain("'?[2J'")
  expect(logged()).not.toContain(clearScreen)
})
