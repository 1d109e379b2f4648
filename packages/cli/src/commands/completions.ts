import { type Command, CommandError, type TableEntry } from '../command.ts'
import { printable } from '../command-line/printable.ts'
import { completionPoints } from '../completions/completion-points.ts'
import { completionScripts } from '../completions/completion-script.ts'

const shells = Object.keys(completionScripts)

/** `sluice completions` of the commands in a table. */
export const completionsOf = (table: readonly TableEntry[]): Command => ({
  name: 'completions',
  summary: 'prints a shell completion script',
  help: `
Usage: sluice completions bash|zsh|fish|powershell

  Bash        sluice completions bash > ~/.local/share/bash-completion/completions/sluice
  Zsh         sluice completions zsh > "\${fpath[1]}/_sluice"
  fish        sluice completions fish > ~/.config/fish/completions/sluice.fish
  PowerShell  sluice completions powershell >> $PROFILE

Example: source <(sluice completions bash)`,
  options: {},
  words: shells,
  async run(_, positionals, context) {
    const [shell = '', ...more] = positionals
    const write = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined
    if (write === undefined || more.length > 0) {
      const got = positionals.length === 0 ? 'none' : `'${printable(positionals.join(' '))}'`
      throw new CommandError(`sluice completions: got ${got}, expected one of ${shells.join(', ')}.`, 2)
    }
    context.print(write(await completionPoints(table)))
    return 0
  },
})
