import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandTable } from '../command-line/command-table.ts'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'

async function run(...args: string[]) {
  const { context, printed, logged } = fakeCommandContext()
  return { code: await main(['completions', ...args], context), printed: printed(), logged: logged() }
}

describe('sluice completions', () => {
  it('completes commands and options in Bash', async () => {
    const { code, printed } = await run('bash')
    expect(code).toBe(0)
    const completed = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${printed}\nCOMP_WORDS=(sluice "$@"); COMP_CWORD=$#; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`,
          'bash',
          ...words,
        ],
        { encoding: 'utf8' },
      )
        .trim()
        .split('\n')
    expect(completed('')).toEqual([
      ...new Set(
        commandTable
          .map(({ name }) => name.split(' ')[0])
          .sort((a, b) => (a === 'keys' ? 1 : b === 'keys' ? -1 : 0)),
      ),
      '--help',
      '--version',
    ])
    expect(completed('se')).toEqual(['serve'])
    expect(completed('keys', 'cr')).toEqual(['create'])
    expect(completed('keys', 'create', '--na')).toEqual(['--name'])
    expect(completed('keys', 'create', '--name', 'Ann', '--js')).toEqual(['--json'])
    expect(completed('dev', '--p')).toEqual(['--port'])
    expect(completed('import', 'l')).toEqual(['litellm'])
    expect(completed('completions', 'p')).toEqual(['powershell'])
    // The value of an option is a file, which Bash completes by itself.
    expect(completed('serve', '--config', '')).toEqual([''])
  })

  it.each(['bash', 'zsh', 'fish', 'powershell'])('has every command and option for %s', async shell => {
    const { code, printed } = await run(shell)
    expect(code).toBe(0)
    for (const { name, load } of commandTable) {
      for (const word of name.split(' ')) expect(printed).toContain(word)
      const dashes = shell === 'fish' ? '-l ' : '--'
      for (const option of Object.keys((await load()).options))
        expect(printed).toContain(`${dashes}${option}`)
    }
  })

  it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('refuses %j', async args => {
    expect(await run(...args)).toMatchObject({
      code: 2,
      printed: '',
      logged: expect.stringContaining('one of bash, zsh, fish, powershell'),
    })
  })
})
