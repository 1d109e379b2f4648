import { CommandFault } from '../command.ts'
import { shown } from '../command-line/shown.ts'

/** Tags as they are typed: `team=search`. Throws `CommandFault` for what is none, and for a name that comes twice. */
export function tagsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const tags = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1)
      throw new CommandFault(
        `--tag is '${shown(text)}', expected a name and a value, such as team=search.`,
        2,
      )
    const name = text.slice(0, at)
    if (tags.has(name)) throw new CommandFault(`--tag ${shown(name)} is given twice. Give it once.`, 2)
    tags.set(name, text.slice(at + 1))
  }
  return Object.fromEntries(tags)
}
