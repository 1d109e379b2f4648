import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../command.ts'
import { readOptions } from './read-options.ts'

const command = {
  name: 'keys create',
  options: {
    name: { type: 'string', short: 'n' },
    model: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
} as const

const read = (...args: string[]) => readOptions(command, args)

describe('readOptions', () => {
  it('reads values, lists, switches and words', () => {
    const { values, positionals } = read('--name=a b', '--model', 'x', '--model=y', '--json', 'word', '-h')
    expect(values).toEqual({ name: 'a b', model: ['x', 'y'], json: true, help: true })
    expect(positionals).toEqual(['word'])
    expect(read('-n', 'x').values).toEqual({ name: 'x' })
    expect(read('--name=--json').values).toEqual({ name: '--json' })
    expect(read('--', '--json').positionals).toEqual(['--json'])
  })

  it.each([
    [
      ['--nmae', 'x'],
      /has no option --nmae\. Did you mean --name\? Known are --name, --model, --json, --help\./,
    ],
    [['-x'], /has no option -x\. Known are/],
    [['--constructor'], /has no option --constructor/],
    [['--name'], /--name needs a value/],
    [
      ['--name', '--json'],
      /--name is followed by '--json', which looks like an option\. Write --name=--json/,
    ],
    [['--json=yes'], /--json takes no value/],
    [['--name', 'a', '--name', 'b'], /--name is given twice/],
    [['--json', '--json'], /--json is given twice/],
  ])('refuses %j with what to do', (args, message) => {
    expect(() => read(...args)).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }))
    expect(() => read(...args)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })

  it('reads any words, or refuses them as a fault of the command line', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.string().map(text => `--${text}`),
          ),
        ),
        args => {
          try {
            for (const name of Object.keys(read(...args).values))
              expect(['name', 'model', 'json', 'help']).toContain(name)
          } catch (error) {
            expect(error).toBeInstanceOf(CommandError)
          }
        },
      ),
    )
  })
})
