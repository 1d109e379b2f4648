// Makes the site of the project's pages and of its API: `pnpm site`. It ends in docs/dist. What it needs is installed
// beside docs/package.json and not with the workspace.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { pnpm, publicPackages, root, run, seconds } from '../run.mjs'
import { siteLinks } from './links.ts'
import { llmsTexts } from './llms.ts'
import { contents, pages } from './repository.ts'
import { searchedSections } from './search.ts'
import { sidebarOf } from './sidebar.ts'

const start = performance.now()
const docs = join(root, 'docs')
/** Where the pages are put together; the site's own tools are found from there. */
const stage = join(docs, '.site')
const bin = (name: string) => join(docs, 'node_modules', '.bin', name)

pnpm(['--dir', docs, 'install', '--frozen-lockfile'], { quiet: true })
rmSync(stage, { recursive: true, force: true })

const all = pages()
const sites = new Map(all.map(({ file, site }) => [file, site]))
const told = all.map(page => ({ ...page, text: siteLinks(page, sites) }))
for (const { site, text } of told) {
  write(`${site}.md`, text)
  // As it is, for those who read no HTML.
  write(join('public', `${site}.md`), text)
}
for (const [name, text] of Object.entries(llmsTexts(told, contents))) write(join('public', name), text)
cpSync(join(docs, 'performance.svg'), join(stage, 'public', 'performance.svg'))
cpSync(join(docs, 'images'), join(stage, 'public', 'images'), { recursive: true })
cpSync(join(docs, '.vitepress', 'config.mjs'), join(stage, '.vitepress', 'config.mjs'))
write(join('.vitepress', 'sidebar.json'), JSON.stringify(sidebarOf(told, contents)))
const sections = Object.fromEntries(told.map(page => [`${page.site}.md`, searchedSections(page)]))
write(join('.vitepress', 'sections.json'), JSON.stringify(sections))
reference()
run(bin('vitepress'), ['build', stage, '--outDir', join(docs, 'dist')], { quiet: true })
console.log(`${told.length} pages and the reference are in docs/dist, made in ${seconds(start)}.`)

/** What every public name is, from the comments of the sources: one page for each module that can be imported. */
function reference(): void {
  const modules = publicPackages().flatMap(({ folder, manifest }) =>
    Object.entries<string | Record<string, string>>(manifest.exports).flatMap(([path, target]) =>
      typeof target === 'string' || target['@sluice/source'] === undefined
        ? []
        : { name: posix.join(manifest.name, path), file: join(folder, target['@sluice/source']) },
    ),
  )
  const options = {
    name: 'API reference',
    entryPoints: modules.map(({ file }) => file),
    tsconfig: join(root, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown', join(import.meta.dirname, 'module-names.mjs')],
    out: join(stage, 'reference'),
    entryFileName: 'index',
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    skipErrorChecking: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    basePath: root,
    logLevel: 'Warn',
  }
  write('typedoc.json', JSON.stringify(options))
  run(bin('typedoc'), ['--options', join(stage, 'typedoc.json')], { quiet: true })
  const items = modules.map(({ name }) => ({ text: name, link: `/reference/${name}/` }))
  write(join('.vitepress', 'modules.json'), JSON.stringify([{ text: 'API reference', items }]))
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(stage, name)), { recursive: true })
  writeFileSync(join(stage, name), text)
}
