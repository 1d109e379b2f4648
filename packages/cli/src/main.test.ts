import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { type Command, CommandError, type TableEntry } from './command.ts'
import { commandTable } from './command-line/command-table.ts'
import { documentationOf } from './command-line/help.ts'
import { fakeCommandContext } from './fake-command-context.ts'
import { main } from './main.ts'

const greet: Command = {
  name: 'greet',
  summary: 'greets somebody',
  help: 'Usage: sluice greet --name NAME',
  options: { name: { type: 'string' } },
  run: async ({ name }, positionals, { print }) => {
    if (name === 'fault') throw new CommandError('Nobody is called that.', 3)
    if (name === 'bug') throw new RangeError('out of luck')
    print(`Hello ${String(name)} ${positionals.join()}`)
    return name === undefined ? 1 : 0
  },
}
const table: TableEntry[] = [{ name: greet.name, summary: greet.summary, load: async () => greet }]

async function run(...argv: string[]) {
  const { context, printed, logged } = fakeCommandContext()
  const code = await main(argv, context, table)
  return { code, printed: printed(), logged: logged() }
}

describe('main', () => {
  it('prints help and its version', async () => {
    for (const argv of [['--help'], ['-h'], ['help']])
      expect(await run(...argv)).toMatchObject({
        code: 0,
        printed: expect.stringMatching(/ {2}greet {2}greets/),
      })
    for (const option of ['--version', '-v'])
      expect(await run(option)).toEqual({ code: 0, printed: `${manifest.version}\n`, logged: '' })
    expect(await run()).toMatchObject({
      code: 2,
      printed: '',
      logged: expect.stringContaining('Usage: sluice'),
    })
  })

  it('prints the help of a command, whatever else is asked', async () => {
    const help =
      'sluice greet: greets somebody\n\nUsage: sluice greet --name NAME\n\nDocumentation: docs/command-line.md#sluice-greet\n'
    expect(await run('greet', '--help')).toEqual({ code: 0, printed: help, logged: '' })
    expect(await run('help', 'greet')).toEqual({ code: 0, printed: help, logged: '' })
  })

  it('colours help where colours may be used, and nowhere else', async () => {
    for (const argv of [['--help'], ['greet', '--help']]) {
      const coloured = fakeCommandContext({ colours: true })
      await main(argv, coloured.context, table)
      expect(coloured.printed()).toContain('\u001B[1mUsage:\u001B[22m')
      expect(stripVTControlCharacters(coloured.printed())).toBe((await run(...argv)).printed)
    }
  })

  it('links to the documentation of a released build', () => {
    expect(documentationOf('keys create', 'https://git.example/team/gateway')).toBe(
      'https://git.example/team/gateway/blob/main/docs/command-line.md#sluice-keys',
    )
  })

  it('runs a command and ends with its code', async () => {
    expect(await run('greet', '--name', 'Ann', 'x')).toEqual({
      code: 0,
      printed: 'Hello Ann x\n',
      logged: '',
    })
    expect((await run('greet')).code).toBe(1)
  })

  it('tells a fault in its words, and a bug with its stack', async () => {
    expect(await run('greet', '--name', 'fault')).toEqual({
      code: 3,
      printed: '',
      logged: 'Nobody is called that.\n',
    })
    const bug = await run('greet', '--name', 'bug')
    expect(bug).toMatchObject({ code: 70, printed: '' })
    expect(bug.logged).toMatch(/^Internal error in sluice .*\nRangeError: out of luck\n\s+at /)
  })

  it('refuses an unknown command and an unknown option with 2', async () => {
    expect(await run('gret')).toMatchObject({
      code: 2,
      logged: expect.stringContaining("Did you mean 'greet'?"),
    })
    expect(await run('greet', '--nam', 'x')).toMatchObject({
      code: 2,
      logged: 'sluice greet has no option --nam. Did you mean --name? Known are --name, --help.\n',
    })
  })
})

describe('each command', () => {
  it.each(commandTable.map(entry => [entry.name, entry] as const))(
    '%s is what the table says of it',
    async (_, entry) => {
      const command = await entry.load()
      expect([command.name, command.summary]).toEqual([entry.name, entry.summary])
      expect(command.help).toContain(`sluice ${entry.name}`)
      expect(command.help).toMatch(/^Usage: sluice /m)
      expect(command.help).toMatch(/^Examples?:/m)
      for (const option of Object.keys(command.options)) expect(command.help).toContain(`--${option}`)
      for (const [named = ''] of command.help.matchAll(/(?<=^ {2})--[a-z-]+/gm))
        expect(Object.keys(command.options)).toContain(named.slice(2))
    },
  )

  it('has its documentation where its help says', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8')
    const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.replaceAll(' ', '-'))
    for (const { name } of commandTable) {
      const { context, printed } = fakeCommandContext()
      await main([...name.split(' '), '--help'], context)
      const [, section] = /^Documentation: docs\/command-line\.md#(\S+)$/m.exec(printed()) ?? []
      expect(sections).toContain(section)
    }
  })

  it.each(['keys', 'import'])('%s --help lists what it can do', async group => {
    const names = commandTable.map(({ name }) => name).filter(name => name.startsWith(`${group} `))
    if (names.length === 0) return
    const { context, printed } = fakeCommandContext()
    expect(await main([group, '--help'], context)).toBe(0)
    for (const name of names) expect(printed()).toContain(`  ${name} `)
    expect(printed()).not.toContain('  dev ')
  })
})
