import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

/** The pages of the project, by their paths from its root. */
export const pages = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
  ...readdirSync(join(root, 'packages')).map(name => `packages/${name}/README.md`),
]

/** A fenced block of a page. Its info string is a language and a name: ```` ```ts server ````. */
export interface Fence {
  readonly page: string
  /** The line of its first line of code. */
  readonly line: number
  readonly language: string
  readonly name: string
  readonly code: string
}

/** A page's text, by its path from the root of the project. */
export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** The fenced blocks of a page, in order. */
export function fencesOf(page: string): Fence[] {
  const fences: Fence[] = []
  let open: { language: string; name: string; line: number; code: string[] } | undefined
  for (const [index, line] of readPage(page).split('\n').entries()) {
    const mark = /^```(\S*) ?(.*)$/.exec(line)
    if (mark === null) open?.code.push(line)
    else if (open === undefined) {
      const [, language = '', name = ''] = mark
      open = { language, name: name.trim(), line: index + 2, code: [] }
    } else {
      const { code, ...rest } = open
      fences.push({ page, ...rest, code: `${code.join('\n')}\n` })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: a fence is not closed`)
  return fences
}

/** The rows of the table under a heading, each a list of its cells' texts, without the head. */
export function tableUnder(page: string, heading: string): string[][] {
  const text = `\n${readPage(page)}`
  const start = text.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`${page} has no heading '${heading}'`)
  const lines = text.slice(start + heading.length + 2).split('\n')
  const first = lines.findIndex(line => line.startsWith('|'))
  const rows = lines.slice(first)
  const end = rows.findIndex(line => !line.startsWith('|'))
  return rows.slice(2, end === -1 ? undefined : end).map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}
