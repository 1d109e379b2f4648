import { expect, it } from 'vitest'
import { openCommand } from './open-url.ts'

it.each([
  ['linux', 'xdg-open', ['http://127.0.0.1:1/x']],
  ['darwin', 'open', ['http://127.0.0.1:1/x']],
  ['win32', 'cmd', ['/d', '/s', '/c', '"start "" "http://127.0.0.1:1/x""']],
] as const)('starts the program of %s', (platform, program, args) => {
  expect(openCommand(platform, 'http://127.0.0.1:1/x')).toMatchObject({ program, args })
})
