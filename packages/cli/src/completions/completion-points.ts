import type { TableEntry } from '../command.ts'

/** What can be typed after certain words of a command line. */
export interface CompletionPoint {
  /** The words after `sluice`: none, a group such as `keys`, or the name of a command. */
  readonly after: readonly string[]
  readonly words: readonly CompletionWord[]
  readonly options: readonly CompletionOption[]
}

export interface CompletionWord {
  readonly word: string
  readonly description: string
}

export interface CompletionOption {
  /** Without the dashes. */
  readonly name: string
  readonly takesValue: boolean
}

/** Every place of a command line at which a shell can complete, the shortest first. Loads all commands. */
export async function completionPoints(table: readonly TableEntry[]): Promise<readonly CompletionPoint[]> {
  const groups = new Map<string, CompletionWord[]>()
  for (const { name, summary } of table) {
    const [first = '', second] = name.split(' ')
    if (second !== undefined)
      groups.set(first, [...(groups.get(first) ?? []), { word: second, description: summary }])
  }
  const firsts = table
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, summary }) => ({ word: name, description: summary }))
  const groupWords = [...groups].map(([word, seconds]) => ({
    word,
    description: seconds.map(second => second.word).join(', '),
  }))
  const commands = await Promise.all(table.map(({ load }) => load()))
  return [
    {
      after: [],
      words: [...firsts, ...groupWords],
      options: ['help', 'version'].map(name => ({ name, takesValue: false })),
    },
    ...[...groups].map(([group, words]) => ({
      after: [group],
      words,
      options: [{ name: 'help', takesValue: false }],
    })),
    ...commands.map(({ name, options, words = [] }) => ({
      after: name.split(' '),
      words: words.map(word => ({ word, description: '' })),
      options: [
        ...Object.entries(options).map(([option, { type }]) => ({
          name: option,
          takesValue: type === 'string',
        })),
        { name: 'help', takesValue: false },
      ],
    })),
  ]
}
