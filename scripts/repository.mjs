// Where the source of the published packages is. One setting has it: `repository` of the package.json of the root, a URL
// of https. Without it, in a workflow of GitHub, it is the repository that the workflow runs in.
// `node scripts/repository.mjs` writes it to the package.json of each package, for a release.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { publicPackages, root } from './run.mjs'

export const notSet =
  '`repository` is not set in package.json: the packages name no repository, homepage or bugs.'

/** The URL of the repository, without a slash at its end; `undefined` where it is not set. */
export function repositoryUrl({ env = process.env, manifest = readManifest(root) } = {}) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env
  const url = manifest.repository ?? (server && name ? `${server}/${name}` : undefined)
  if (url === undefined) return undefined
  if (typeof url !== 'string' || !/^https:\/\/[\w.-]+\/[\w./-]*\w$/.test(url))
    throw new Error(
      `\`repository\` of package.json is ${JSON.stringify(url)}, expected a URL of https as a text`,
    )
  return url.replace(/\.git$/, '')
}

/** The fields of a package's manifest that say where its source, its page and its issues are. */
export function repositoryFields(folder, url) {
  const directory = `packages/${basename(folder)}`
  return {
    homepage: `${url}/tree/main/${directory}#readme`,
    repository: { type: 'git', url: `git+${url}.git`, directory },
    bugs: { url: `${url}/issues` },
  }
}

/** Writes the fields to each package that is published. Returns what puts the files back as they were. */
export function writeRepositoryFields(url) {
  const before = publicPackages().map(({ folder, manifest }) => {
    const file = join(folder, 'package.json')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `${JSON.stringify({ ...manifest, ...repositoryFields(folder, url) }, null, 2)}\n`)
    return { file, text }
  })
  return () => {
    for (const { file, text } of before) writeFileSync(file, text)
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const url = repositoryUrl()
  if (url === undefined) {
    console.error(`${notSet} Set it to the URL of the repository.`)
    process.exitCode = 1
  } else {
    writeRepositoryFields(url)
    console.log(`Wrote ${url} to the package.json of each package.`)
  }
}
