import { describe, expect, it } from 'vitest'
import { findCommand } from './find-command.ts'

const table = ['dev', 'init', 'keys create', 'keys list', 'usage'].map(name => ({ name }))

describe('findCommand', () => {
  it('finds commands of one word and of two, and gives what follows', () => {
    expect(findCommand(['dev', '--port', '1'], table)).toEqual({
      entry: { name: 'dev' },
      rest: ['--port', '1'],
    })
    expect(findCommand(['keys', 'create', 'x'], table)).toEqual({
      entry: { name: 'keys create' },
      rest: ['x'],
    })
  })

  it.each([
    [
      ['dve'],
      "sluice has no command 'dve'. Did you mean 'dev'? Known are dev, init, keys, usage; see sluice --help.",
    ],
    [
      ['frobnicate'],
      "sluice has no command 'frobnicate'. Known are dev, init, keys, usage; see sluice --help.",
    ],
    [['keys'], 'sluice keys needs a subcommand. Known are keys create, keys list.'],
    [['keys', '--name'], 'sluice keys needs a subcommand. Known are keys create, keys list.'],
    [
      ['keys', 'craete'],
      "sluice has no command 'keys craete'. Did you mean 'keys create'? Known are keys create, keys list.",
    ],
    [['\u001b[2J'], "sluice has no command '?[2J'. Known are dev, init, keys, usage; see sluice --help."],
  ])('says what is known in place of %j', (argv, message) => {
    expect(() => findCommand(argv, table)).toThrow(expect.objectContaining({ message, exitCode: 2 }))
  })
})
