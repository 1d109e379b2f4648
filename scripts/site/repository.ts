import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { publicPackages, root } from '../run.mjs'
import { parseChange, unreleasedChanges } from './changelog.ts'

/** Pages of the site beside those of `docs`: where they lie, and the path that they have on the site. */
const others: readonly (readonly [file: string, site: string])[] = [
  ['README.md', 'index'],
  ['CONTRIBUTING.md', 'contributing'],
  ['SECURITY.md', 'security'],
  ['AGENTS.md', 'code'],
]

/** A page of the site. */
export interface Page {
  /** Its path in the project: `docs/express.md`. */
  readonly file: string
  /** Its path on the site: `express`. */
  readonly site: string
  readonly text: string
}

/** Pages that stand together in the sidebar, by their names. */
export interface Group {
  readonly title: string
  readonly pages: readonly string[]
}

/** The groups of the sidebar, by their titles, with the names of their pages. */
export const contents: readonly Group[] = JSON.parse(
  readFileSync(join(root, 'docs', 'contents.json'), 'utf8'),
)

/** Every page of the site. */
export function pages(): Page[] {
  const docs = namesIn('docs').map(name => [`docs/${name}.md`, name] as const)
  const decisions = namesIn('docs/decisions').map(
    name => [`docs/decisions/${name}.md`, `decisions/${name}`] as const,
  )
  const packages = publicPackages()
    .map(({ folder }) => posix.join('packages', folder.split(/[\\/]/).at(-1)!))
    .map(folder => [`${folder}/README.md`, folder] as const)
  return [...others, ...docs, ...decisions, ...packages].map(([file, site]) => ({
    file,
    site,
    text: site === 'changelog' ? changelog(file) : readFileSync(join(root, file), 'utf8'),
  }))
}

/** The page with the changes that no release has yet, which are files of their own. */
function changelog(file: string): string {
  const changes = namesIn('.changeset')
    .filter(name => name !== 'README')
    .map(name => parseChange(readFileSync(join(root, '.changeset', `${name}.md`), 'utf8')))
  return `${readFileSync(join(root, file), 'utf8')}\n${unreleasedChanges(changes)}\n`
}

function namesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder))
    .filter(name => name.endsWith('.md'))
    .map(name => name.slice(0, -'.md'.length))
    .sort()
}
