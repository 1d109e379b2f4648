// Makes the site of the project's pages and of its API: `pnpm site`. It ends in docs/dist. What it needs is installed
// beside docs/package.json and not with the workspace.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pnpm, publicPackages, root, run, seconds } from '../run.mjs'
import { siteLinks } from './links.ts'
import { llmsTexts } from './llms.ts'
import { contents, pages } from './repository.ts'
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
reference()
run(bin('vitepress'), ['build', stage, '--outDir', join(docs, 'dist')], { quiet: true })
console.log(`${told.length} pages and the reference are in docs/dist, made in ${seconds(start)}.`)

/** What every public name is, from the comments of the sources. */
function reference(): void {
  const entries = publicPackages().flatMap(({ folder, manifest }) =>
    Object.values<string | Record<string, string>>(manifest.exports)
      .flatMap(target => (typeof target === 'string' ? [] : (target['@sluice/source'] ?? [])))
      .map(source => join(folder, source)),
  )
  const options = {
    entryPoints: entries,
    tsconfig: join(root, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    out: join(stage, 'reference'),
    entryFileName: 'index',
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    skipErrorChecking: true,
    hideBreadcrumbs: true,
    basePath: root,
    logLevel: 'Warn',
  }
  write('typedoc.json', JSON.stringify(options))
  run(bin('typedoc'), ['--options', join(stage, 'typedoc.json')], { quiet: true })
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(stage, name)), { recursive: true })
  writeFileSync(join(stage, name), text)
}
