import type { CompletionPoint } from './completion-points.ts'

/** A script that teaches a shell to complete `sluice`. */
export const completionScripts: Readonly<Record<string, (points: readonly CompletionPoint[]) => string>> = {
  bash,
  zsh,
  fish,
  powershell,
}

/** Where nothing fits, Bash completes file names: the values of most options are files. */
function bash(points: readonly CompletionPoint[]): string {
  return `_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[*]:1:COMP_CWORD-1}" words=
  case " $before " in
${casesOf(points, point => `words=${posixQuoted([...wordsOf(point), ...optionsOf(point)].join(' '))}`, '    ')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${valueOptions(points).join('|')}) words= ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sluice sluice`
}

function zsh(points: readonly CompletionPoint[]): string {
  const described = ({ words }: CompletionPoint) =>
    words
      .map(({ word, description }) => posixQuoted(`${word}:${description.replaceAll(':', '\\:')}`))
      .join(' ')
  return `#compdef sluice
_sluice() {
  local before="\${(j: :)words[2,CURRENT-1]}"
  local -a commands options
  case " $before " in
${casesOf(points, point => `commands=(${described(point)}) options=(${optionsOf(point).join(' ')})`, '    ')}
  esac
  case "\${words[CURRENT-1]}" in
    ${valueOptions(points).join('|')}) _files; return ;;
  esac
  _describe command commands
  if [[ $PREFIX == -* ]]; then compadd -- $options; else _files; fi
}
if [ "$funcstack[1]" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi`
}

function fish(points: readonly CompletionPoint[]): string {
  const lines = points.flatMap(point => {
    const condition = `-n ${fishQuoted(`__sluice_after ${point.after.join(' ')}`.trim())}`
    return [
      ...point.words.map(({ word, description }) => {
        const about = description === '' ? '' : ` -d ${fishQuoted(description)}`
        return `complete -c sluice ${condition} -f -a ${fishQuoted(word)}${about}`
      }),
      ...point.options.map(
        ({ name, takesValue }) => `complete -c sluice ${condition} -l ${name}${takesValue ? ' -r' : ''}`,
      ),
    ]
  })
  const names = points.filter(({ after }) => after.length > 0).map(({ after }) => after.join(' '))
  return `function __sluice_after
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l command
  for name in ${names.map(fishQuoted).join(' ')}
    if string match -q -- "$name *" "$typed "
      set command $name
    end
  end
  test "$command" = "$argv"
end
${lines.join('\n')}`
}

function powershell(points: readonly CompletionPoint[]): string {
  const entries = points.map(point => {
    const words = [...wordsOf(point), ...optionsOf(point)].map(powerShellQuoted)
    return `    ${powerShellQuoted(point.after.join(' '))} = @(${words.join(', ')})`
  })
  return `Register-ArgumentCompleter -Native -CommandName sluice -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = @{
${entries.join('\n')}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $command = ''
  foreach ($count in 1, 2) {
    $name = ($typed | Select-Object -First $count) -join ' '
    if ($typed.Count -ge $count -and $known.ContainsKey($name)) { $command = $name }
  }
  $known[$command] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`
}

/** A branch for each point, the longest first: the first one that fits is taken. */
function casesOf(
  points: readonly CompletionPoint[],
  branch: (point: CompletionPoint) => string,
  indent: string,
): string {
  return points
    .toSorted((one, other) => other.after.length - one.after.length)
    .map(point => {
      const pattern = point.after.length === 0 ? '"  "' : `" ${point.after.join(' ')} "*`
      return `${indent}${pattern}) ${branch(point)} ;;`
    })
    .join('\n')
}

function wordsOf({ words }: CompletionPoint): readonly string[] {
  return words.map(({ word }) => word)
}

function optionsOf({ options }: Pick<CompletionPoint, 'options'>): readonly string[] {
  return options.map(({ name }) => `--${name}`)
}

function valueOptions(points: readonly CompletionPoint[]): readonly string[] {
  const options = points.flatMap(point => point.options.filter(({ takesValue }) => takesValue))
  return [...new Set(optionsOf({ options }))]
}

function posixQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}

function powerShellQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
