import { error, type Finding, ok } from './finding.ts'

/** Checks the version of Node, such as `20.19.0`, and whether it opens SQLite files. */
export function checkNode(version: string, hasSqlite: boolean): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const check = 'Node.js'
  if (major < 20 || (major === 20 && minor < 19)) {
    return error(
      check,
      `${version} is older than 20.19.`,
      'Install Node.js 20.19 or newer: https://nodejs.org',
    )
  }
  return ok(check, `${version}, ${hasSqlite ? 'with' : 'without'} node:sqlite`)
}
