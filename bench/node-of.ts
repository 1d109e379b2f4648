import { execFileSync } from 'node:child_process'

/** A Node to measure. */
export interface Node {
  readonly path: string
  readonly version: string
}

/** A version of Node, which the registry's package `node` carries as a binary; default: the one that runs this. */
export function nodeOf(version: string | undefined): Node {
  if (version === undefined) return { path: process.execPath, version: process.version }
  if (!/^[\w.-]+$/.test(version)) throw new TypeError(`--node: got ${version}, expected a version: 24.`)
  const code = 'node -p "process.execPath + String.fromCharCode(10) + process.version"'
  const told = execFileSync('npx', ['-y', '-p', `node@${version}`, '-c', code], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [path = '', exact = ''] = told.trim().split('\n')
  return { path, version: exact }
}
